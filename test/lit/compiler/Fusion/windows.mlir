// RUN: %systole-opt %s --systole-assign-access --systole-fuse --split-input-file | FileCheck %s

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

// -----

// A constant of which a window is replaced, and counted positions, come out of kernels first.
// CHECK-LABEL: @computed_anew
// CHECK: %[[ZEROS:.*]] = kernel.fusion "copy" ()
// CHECK-NEXT: stablehlo.constant dense<0.000000e+00> : tensor<3000x100xf32>
// CHECK: %[[NEXT:.*]]:2 = kernel.fusion "copy" (%[[A:.*]] = %[[ZEROS]],
// CHECK: stablehlo.dynamic_update_slice %[[A]],
// CHECK: stablehlo.iota dim = 0 : tensor<3x1xi32>
// CHECK: kernel.fusion "copy" (%[[X:.*]] = %arg0, %[[I:.*]] = %[[NEXT]]#1)
// CHECK: "stablehlo.gather"(%[[X]], %[[I]])
func.func @computed_anew(%x: tensor<3000x100xf32>, %row: tensor<1x100xf32>, %i: tensor<i32>) -> (tensor<3000x100xf32>, tensor<3x100xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<3000x100xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %zeros, %row, %i, %zero : (tensor<3000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>) -> tensor<3000x100xf32>
  %rows = stablehlo.iota dim = 0 : tensor<3x1xi32>
  %1 = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 100>}> : (tensor<3000x100xf32>, tensor<3x1xi32>) -> tensor<3x100xf32>
  return %0, %1 : tensor<3000x100xf32>, tensor<3x100xf32>
}

// -----

// That kernel writes all of it: its blocks fit beside what else it does.
// CHECK-LABEL: @computed_anew_for_a_window
// CHECK: %[[Y:.*]]:2 = kernel.fusion "loop"
// CHECK-SAME: plan = #kernel.plan<axes = [<value {{[0-9]+}} dim 0 by {{[0-9]+}}>]
// CHECK-SAME: -> (tensor<72x64xf32>, tensor<200x150x64xf32>)
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK-NEXT: kernel.fused
// CHECK: kernel.fusion "copy" (%[[A:.*]] = %[[Y]]#1,
// CHECK: stablehlo.dynamic_slice %[[A]]
func.func @computed_anew_for_a_window(%x: tensor<200x150xf32>, %w: tensor<64x72xf32>, %i: tensor<i32>) -> (tensor<72x64xf32>, tensor<1x150x64xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.negate %x : tensor<200x150xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<64x72xf32>) -> tensor<72x64xf32>
  %b = stablehlo.broadcast_in_dim %n, dims = [0, 1] : (tensor<200x150xf32>) -> tensor<200x150x64xf32>
  %0 = stablehlo.dynamic_slice %b, %i, %zero, %zero, sizes = [1, 150, 64] : (tensor<200x150x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x150x64xf32>
  return %t, %0 : tensor<72x64xf32>, tensor<1x150x64xf32>
}
