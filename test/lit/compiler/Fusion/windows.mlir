// RUN: %systole-opt %s --systole-fuse --split-input-file | FileCheck %s

// A window is read in HBM, so its array comes out of an earlier kernel; what uses the
// window joins it.
// CHECK-LABEL: @read
// CHECK: %[[Y:.*]] = kernel.fusion "loop"
// CHECK: stablehlo.negate
// CHECK: kernel.fusion "loop" ({{.*}} = %[[Y]]
// CHECK-NEXT: stablehlo.dynamic_slice
// CHECK-NEXT: stablehlo.sine
func.func @read(%x: tensor<50000x128xf32>, %i: tensor<i32>) -> tensor<1x128xf32> {
  %y = stablehlo.negate %x : tensor<50000x128xf32>
  %0 = stablehlo.dynamic_slice %y, %i, %i, sizes = [1, 128] : (tensor<50000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  %1 = stablehlo.sine %0 : tensor<1x128xf32>
  return %1 : tensor<1x128xf32>
}

// -----

// An update in HBM joins the kernel that computes the new rows, but not one that
// reads the array otherwise, or after it.
// CHECK-LABEL: @update
// CHECK: kernel.fusion
// CHECK-NEXT: stablehlo.dynamic_slice
// CHECK-NEXT: stablehlo.sine
// CHECK-NEXT: stablehlo.dynamic_update_slice
// CHECK-NEXT: kernel.fused
// CHECK: kernel.fusion
// CHECK-NEXT: stablehlo.dynamic_slice
// CHECK-NEXT: kernel.fused
func.func @update(%x: tensor<50000x128xf32>, %i: tensor<i32>) -> (tensor<50000x128xf32>, tensor<1x128xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 128] : (tensor<50000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  %1 = stablehlo.sine %0 : tensor<1x128xf32>
  %2 = stablehlo.dynamic_update_slice %x, %1, %i, %i : (tensor<50000x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<50000x128xf32>
  %3 = stablehlo.dynamic_slice %2, %i, %i, sizes = [1, 128] : (tensor<50000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  return %2, %3 : tensor<50000x128xf32>, tensor<1x128xf32>
}

// -----

// A small array is better in VMEM: no reason to go through HBM.
// CHECK-LABEL: @small
// CHECK: kernel.fusion
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.dynamic_slice
func.func @small(%x: tensor<8x128xf32>, %i: tensor<i32>) -> tensor<1x128xf32> {
  %y = stablehlo.negate %x : tensor<8x128xf32>
  %0 = stablehlo.dynamic_slice %y, %i, %i, sizes = [1, 128] : (tensor<8x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}
