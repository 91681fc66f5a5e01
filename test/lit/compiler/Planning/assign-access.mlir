// RUN: %systole-opt %s --systole-assign-access | FileCheck %s

// One row of 512 bytes, of 4000: a window.
// CHECK-LABEL: func.func @row
// CHECK: stablehlo.dynamic_slice {{.*}} {kernel.access = "window"}
func.func @row(%x: tensor<4000x128xf32>, %i: tensor<i32>) -> tensor<1x128xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 128] : (tensor<4000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// Sixteen rows take no longer than the copy of one; what an earlier pass decided for another type is gone.
// CHECK-LABEL: func.func @small
// CHECK: stablehlo.dynamic_slice
// CHECK-NOT: kernel.access
func.func @small(%x: tensor<16x128xf32>, %i: tensor<i32>) -> tensor<1x128xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 128] {kernel.access = "window"} : (tensor<16x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}

// An update of a row replaces it in HBM, inside of a loop as well.
// CHECK-LABEL: func.func @update
// CHECK: stablehlo.while
// CHECK: stablehlo.dynamic_update_slice {{.*}} {kernel.access = "window"}
func.func @update(%x: tensor<4000x128xf32>, %u: tensor<1x128xf32>, %n: tensor<i32>) -> tensor<4000x128xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4000x128xf32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_update_slice %a, %u, %i, %zero : (tensor<4000x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<4000x128xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<4000x128xf32>
  }
  return %0#1 : tensor<4000x128xf32>
}
