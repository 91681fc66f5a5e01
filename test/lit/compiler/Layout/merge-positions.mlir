// RUN: %systole-opt %s --systole-merge-positions=most-dimensions=3 | FileCheck %s

// CHECK-LABEL: @merged
// CHECK: %[[STARTS:.*]] = stablehlo.reshape %arg1 : (tensor<5x2x3x1xi32>) -> tensor<30x1xi32>
// CHECK: %[[ROWS:.*]] = "stablehlo.gather"(%arg0, %[[STARTS]])
// CHECK-SAME: offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1
// CHECK-SAME: -> tensor<30x16xf32>
// CHECK: stablehlo.reshape %[[ROWS]] : (tensor<30x16xf32>) -> tensor<5x2x3x16xf32>
func.func @merged(%x: tensor<7x16xf32>, %i: tensor<5x2x3x1xi32>) -> tensor<5x2x3x16xf32> {
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [0],
                                          start_index_map = [0], index_vector_dim = 3>,
    slice_sizes = array<i64: 1, 16>
  } : (tensor<7x16xf32>, tensor<5x2x3x1xi32>) -> tensor<5x2x3x16xf32>
  return %0 : tensor<5x2x3x16xf32>
}

// Few dimensions; the positions in front of and behind the rows.
// CHECK-LABEL: @kept
// CHECK-NOT: stablehlo.reshape
// CHECK: return
func.func @kept(%x: tensor<7x16xf32>, %i: tensor<5x2x1xi32>, %j: tensor<5x2x3x1xi32>)
    -> (tensor<5x2x16xf32>, tensor<5x2x16x3xf32>) {
  %0 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
                                          start_index_map = [0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 16>
  } : (tensor<7x16xf32>, tensor<5x2x1xi32>) -> tensor<5x2x16xf32>
  %1 = "stablehlo.gather"(%x, %j) {
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
                                          start_index_map = [0], index_vector_dim = 3>,
    slice_sizes = array<i64: 1, 16>
  } : (tensor<7x16xf32>, tensor<5x2x3x1xi32>) -> tensor<5x2x16x3xf32>
  return %0, %1 : tensor<5x2x16xf32>, tensor<5x2x16x3xf32>
}
