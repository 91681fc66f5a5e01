// Verifier errors of indices and of the results of indexing.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_slice C5
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.dynamic_slice' op requires a result of type 'tensor<2x8xf32>', but it is 'tensor<2x7xf32>'}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x7xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C5
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{'stablehlo.dynamic_update_slice' op requires the same type for all start indices, but #0 is 'tensor<i32>' and #1 is 'tensor<i64>'}}
  %0 = stablehlo.dynamic_update_slice %x, %x, %i, %j : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: gather C10
func.func @bad(%x: tensor<3x3x100x8xf32>, %y: tensor<3x3x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op operand_batching_dims must ascend, but is [1, 0]}}
  %0 = "stablehlo.gather"(%x, %y) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 8>}> : (tensor<3x3x100x8xf32>, tensor<3x3x1xi32>) -> tensor<3x3x8xf32>
  return
}

// -----

// Breaks: gather C11
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op dimension 3 in operand_batching_dims is out of range for rank-3 operand}}
  %0 = "stablehlo.gather"(%x, %y) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<3x5x1xi32>) -> tensor<3x5x8xf32>
  return
}

// -----

// Breaks: gather C13
func.func @bad(%x: tensor<3x3x100x8xf32>, %y: tensor<3x3x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op dimension 0 occurs twice in start_indices_batching_dims [0, 0]}}
  %0 = "stablehlo.gather"(%x, %y) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1, 8>}> : (tensor<3x3x100x8xf32>, tensor<3x3x1xi32>) -> tensor<3x3x8xf32>
  return
}

// -----

// Breaks: gather C23
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>) {
  // expected-error@+1 {{'stablehlo.gather' op requires a result of type 'tensor<3x5x8xf32>', but it is 'tensor<3x5x8xf64>'}}
  %0 = "stablehlo.gather"(%x, %y) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<3x5x1xi32>) -> tensor<3x5x8xf64>
  return
}
