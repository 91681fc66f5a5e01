// RUN: %systole-opt %s --systole-look-up-gathers=target=v3 --split-input-file | FileCheck %s

// Elements of one table, at indices within its bounds.
// CHECK-LABEL: @elements
// CHECK-SAME: %[[X:.*]]: tensor<900xbf16>
// CHECK: stablehlo.maximum
// CHECK: stablehlo.minimum
// CHECK: kernel.lookup %{{.*}} at %{{.*}} : (tensor<1x900xi32>, tensor<1x5000xi32>) -> tensor<1x5000xi32>
// CHECK: stablehlo.bitcast_convert
// CHECK-NOT: stablehlo.gather
func.func @elements(%x: tensor<900xbf16>, %i: tensor<5000xi32>) -> tensor<5000xbf16> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<900xbf16>, tensor<5000xi32>) -> tensor<5000xbf16>
  return %0 : tensor<5000xbf16>
}

// -----

// The columns of narrow rows are tables of their own, with the same indices.
// CHECK-LABEL: @narrow_rows
// CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<900x4xf32>) -> tensor<4x900xf32>
// CHECK: kernel.lookup %{{.*}} at %{{.*}} : (tensor<4x900xf32>, tensor<4x5000xi32>) -> tensor<4x5000xf32>
// CHECK: stablehlo.transpose {{.*}}, dims = [1, 0] : (tensor<4x5000xf32>) -> tensor<5000x4xf32>
func.func @narrow_rows(%x: tensor<900x4xf32>, %i: tensor<5000xi32>) -> tensor<5000x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<900x4xf32>, tensor<5000xi32>) -> tensor<5000x4xf32>
  return %0 : tensor<5000x4xf32>
}

// -----

// Full rows are copied.
// CHECK-LABEL: @full_rows
// CHECK: stablehlo.gather
// CHECK-NOT: kernel.lookup
func.func @full_rows(%x: tensor<900x256xf32>, %i: tensor<500xi32>) -> tensor<500x256xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 256>}> : (tensor<900x256xf32>, tensor<500xi32>) -> tensor<500x256xf32>
  return %0 : tensor<500x256xf32>
}
