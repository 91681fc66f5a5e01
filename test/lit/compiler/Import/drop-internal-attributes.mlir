// Attributes of the compiler's dialects, of `kernel` those that are declared, are removed everywhere; those of producers are kept.
// RUN: systole compile %s -o %t.sysx
// RUN: %systole-opt --systole-drop-internal-attributes %s | FileCheck %s

// CHECK: module @m attributes {mhlo.num_partitions = 1 : i32} {
module @m attributes {kernel.result_elements = [], kernel.hbm_rows = 7 : i64, mhlo.num_partitions = 1 : i32} {
  // CHECK-NEXT: func.func @main(%arg0: tensor<8xf32> {jax.buffer_donor = true}, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {jax.result_info = "r"}) {
  func.func @main(%x: tensor<8xf32> {jax.buffer_donor = true, kernel.element = i64, systole.double}, %y: tensor<8xf32>)
      -> (tensor<8xf32> {kernel.element = i64}, tensor<8xf32> {jax.result_info = "r"}) attributes {core.kind = "x"} {
    // CHECK-NEXT: stablehlo.add %arg0, %arg1 {other.mark} : tensor<8xf32>
    %0 = stablehlo.add %x, %y {kernel.expanded = 3 : i32, other.mark} : tensor<8xf32>
    return %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
}
