// RUN: %systole-opt %s --systole-form-kernels | FileCheck %s

// The size of a result is the argument that it is, or that of a result before it; only arrays are copied.
// CHECK: kernel.argument_sizes = array<i64: -1, 0, -1>
// CHECK-SAME: kernel.arguments = array<i32: 0, 1, 2>
// CHECK-SAME: kernel.result_sizes = array<i64: -1, 0, -1, 1, 0>
// CHECK-SAME: kernel.results = array<i32: 3, 1, 4, 5, 5>
func.func @main(%x: tensor<8x128xf32>, %n: tensor<i32> {kernel.dynamic_dim = 0 : i64}, %m: tensor<i32>)
    -> (tensor<8x128xf32>, tensor<i32> {kernel.dynamic_dim = 0 : i64},
        tensor<8x128xf32>, tensor<i32> {kernel.dynamic_dim = 1 : i64},
        tensor<i32> {kernel.dynamic_dim = 0 : i64}) {
  // CHECK-COUNT-3: kernel.call @copy
  // CHECK-NOT: kernel.call @copy
  return %x, %n, %x, %m, %m : tensor<8x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<i32>, tensor<i32>
}
