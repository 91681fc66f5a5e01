// Reading and writing at computed positions.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// A comma may follow the last number.
// CHECK-LABEL: func.func private @trailing_commas
// CHECK-SAME: dot = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
// CHECK-SAME: gather = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>
func.func private @trailing_commas() attributes {
  dot = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],>,
  gather = #stablehlo.gather<index_vector_dim = 1, offset_dims = [1],>
}

// CHECK-LABEL: func.func @dynamic_slice(
func.func @dynamic_slice(%x: tensor<4x8xf32>, %s: tensor<f32>, %i: tensor<i32>, %u: tensor<ui8>) {
  // CHECK: stablehlo.dynamic_slice %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  // CHECK: stablehlo.dynamic_slice %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, sizes = [0, 1] : (tensor<4x8xf32>, tensor<ui8>, tensor<ui8>) -> tensor<0x1xf32>
  %1 = stablehlo.dynamic_slice %x, %u, %u, sizes = [0, 1] : (tensor<4x8xf32>, tensor<ui8>, tensor<ui8>) -> tensor<0x1xf32>
  // CHECK: stablehlo.dynamic_slice %{{[^ ,)]+}}, {{ ?}}sizes = [] : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @dynamic_update_slice(
func.func @dynamic_update_slice(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>, %s: tensor<f32>, %i: tensor<i64>) {
  // CHECK: stablehlo.dynamic_update_slice %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
  // CHECK: stablehlo.dynamic_update_slice %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @gather_rows(
func.func @gather_rows(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // CHECK: "stablehlo.gather"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  // CHECK: "stablehlo.gather"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<index_vector_dim = 1, start_index_map = [0], collapsed_slice_dims = [0], offset_dims = [1]>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// The coordinates lie along no dimension of the indices: each is a start.
// CHECK-LABEL: func.func @gather_implicit(
func.func @gather_implicit(%x: tensor<100x8xf32>, %i: tensor<5x3xi32>) {
  // CHECK: "stablehlo.gather"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 4, 2>}> : (tensor<100x8xf32>, tensor<5x3xi32>) -> tensor<5x4x2x3xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 4, 2>}> : (tensor<100x8xf32>, tensor<5x3xi32>) -> tensor<5x4x2x3xf32>
  return
}

// CHECK-LABEL: func.func @gather_batched(
func.func @gather_batched(%x: tensor<3x100x8xf32>, %i: tensor<2x5x3xi32>) {
  // CHECK: "stablehlo.gather"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2]>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<2x5x3xi32>) -> tensor<5x3x8xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2]>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<2x5x3xi32>) -> tensor<5x3x8xf32>
  return
}

// CHECK-LABEL: func.func @gather_scalar(
func.func @gather_scalar(%x: tensor<4xf32>, %i: tensor<i32>) {
  // CHECK: "stablehlo.gather"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @scatter_rows(
func.func @scatter_rows(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // CHECK: "stablehlo.scatter"(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
  // CHECK-NEXT:   %[[S:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT:   stablehlo.return %[[S]] : tensor<f32>
  // CHECK-NEXT: }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// Several inputs at once, coordinates along the first dimension, a window of 2 along a
// dimension of 100, dimension 0 advancing with that of the indices, and a wider sum.
// CHECK-LABEL: func.func @scatter_general(
func.func @scatter_general(%x: tensor<3x100x8xbf16>, %y: tensor<3x100x8xi32>, %i: tensor<2x5x3xui8>, %u: tensor<2x5x3xbf16>, %v: tensor<2x5x3xi32>) {
  // CHECK: "stablehlo.scatter"(%{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [2, 1]>}>
  // CHECK: (tensor<3x100x8xbf16>, tensor<3x100x8xi32>, tensor<2x5x3xui8>, tensor<2x5x3xbf16>, tensor<2x5x3xi32>) -> (tensor<3x100x8xf32>, tensor<3x100x8xi32>)
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<f32>, %m: tensor<i32>, %b: tensor<f32>, %n: tensor<i32>):
    stablehlo.return %b, %m : tensor<f32>, tensor<i32>
  }) : (tensor<3x100x8xbf16>, tensor<3x100x8xi32>, tensor<2x5x3xui8>, tensor<2x5x3xbf16>, tensor<2x5x3xi32>) -> (tensor<3x100x8xf32>, tensor<3x100x8xi32>)
  return
}
