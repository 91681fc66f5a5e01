// Verifier errors of gathers of slices of dynamic sizes.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_gather C1
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op offset_dims must have one entry per dimension that the slice keeps, but is [1] for a slice of rank 2}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C2
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op index_vector_dim 3 is not between 0 and the rank of start_indices, 2}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C3
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op start_index_map has 2 entries, but an index has 1 coordinates}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C4
func.func @bad(%x: tensor<100x8x8xf32>, %y: tensor<5x1xi32>, %z: tensor<3xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op offset_dims must ascend, but is [2, 1]}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8x8xf32>, tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x?x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C5
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op dimension 2 in offset_dims is out of range for rank-2 result}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C6
func.func @bad(%x: tensor<4x100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<3xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op collapsed_slice_dims must ascend, but is [1, 0]}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x100x8xf32>, tensor<5x1xi32>, tensor<3xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C7
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op dimension 2 in collapsed_slice_dims is out of range for rank-2 operand}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C9
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x2xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op dimension 0 occurs twice in start_index_map [0, 0]}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x2xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C10
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op dimension 2 in start_index_map is out of range for rank-2 operand}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C13
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op requires a result of type 'tensor<5x?xf32>', but it is 'tensor<6x?xf32>'}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<6x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C14
func.func @bad(%x: tensor<100x8xf32>, %y: tensor<5x1xi32>, %z: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_gather' op requires the same element type for operand and result, but they are 'tensor<100x8xf32>' and 'tensor<5x?xf64>'}}
  %0 = "stablehlo.dynamic_gather"(%x, %y, %z) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf64>
  return
}
