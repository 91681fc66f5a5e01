// Verifier errors of reads and writes at dynamic indices.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_slice C2
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{requires one start index per dimension of operand, but has 1 for rank 2}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// Breaks: dynamic_slice C3
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{requires the same type for all start indices, but #0 is 'tensor<i32>' and #1 is 'tensor<i64>'}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i64>) -> tensor<2x8xf32>
  return
}

// -----

// Breaks: dynamic_slice C2
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{slice_sizes must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

// Breaks: dynamic_slice C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{slice size 9 is not between 0 and size 8 of dimension 1}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 9] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x9xf32>
  return
}

// -----

// Breaks: dynamic_slice C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{slice size -1 is not between 0 and size 4 of dimension 0}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [-1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  return
}

// -----

// Breaks: dynamic_slice C1
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{requires a result of type 'tensor<2x8xf32>', but it is 'tensor<2x8xi32>'}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error@+1 {{operand #1 must be variadic of 0D tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<1xi32>'}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C6
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // expected-error@+1 {{update size 8 is above size 4 of dimension 0}}
  %1 = stablehlo.dynamic_update_slice %x, %0, %i, %i : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C3
func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{requires the same element type and rank for operand and update, but operand is 'tensor<4x8xf32>' and update is 'tensor<8xf32>'}}
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<4x8xf32>, tensor<8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C2
func.func @bad(%x: tensor<4x8xf32>, %y: tensor<4x8xbf16>, %i: tensor<i32>) {
  // expected-error@+1 {{requires the same element type and rank for operand and update, but operand is 'tensor<4x8xf32>' and update is 'tensor<4x8xbf16>'}}
  %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<4x8xf32>, tensor<4x8xbf16>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{requires one start index per dimension of operand, but has 0 for rank 2}}
  %0 = stablehlo.dynamic_update_slice %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: dynamic_update_slice C1
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{requires a result of type 'tensor<4x8xf32>', but it is 'tensor<4x9xf32>'}}
  %0 = stablehlo.dynamic_update_slice %x, %x, %i, %i : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x9xf32>
  return
}

// -----

// Breaks: gather C20
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{slice_sizes must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C21
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{slice size 9 is not between 0 and size 8 of dimension 1}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 9>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C9
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{slice size 2 of dimension 0 must be at most 1, as the dimension is in collapsed_slice_dims}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C8
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{dimension 2 in collapsed_slice_dims is out of range for rank-2 operand}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C7
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{collapsed_slice_dims must ascend, but is [1, 0]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C6
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{dimension 0 occurs twice in collapsed_slice_dims [0, 0]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C2
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{index_vector_dim 3 is not between 0 and the rank of start_indices, 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C2
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{index_vector_dim -1 is not between 0 and the rank of start_indices, 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C3
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{start_index_map has 2 entries, but an index has 1 coordinates}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C19
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{dimension 2 in start_index_map is out of range for rank-2 operand}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C1
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{offset_dims must have one entry per dimension that the slice keeps, but is [1] for a slice of rank 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C5
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{dimension 2 in offset_dims is out of range for rank-2 result}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C4
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{offset_dims must ascend, but is [2, 1]}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C22
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{requires a result of type 'tensor<8x5xf32>', but it is 'tensor<5x8xf32>'}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

// Breaks: gather C12
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{slice size 3 of dimension 0 must be at most 1, as the dimension is in operand_batching_dims}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 3, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C6
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{dimension 1 occurs both in collapsed_slice_dims and in operand_batching_dims}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C18
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{dimension 0 occurs both in start_index_map and in operand_batching_dims}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C14
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{dimension 3 in start_indices_batching_dims is out of range for rank-3 start_indices}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C15
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{start_indices_batching_dims [2] must not contain index_vector_dim 2}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C16
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{requires as many operand_batching_dims as start_indices_batching_dims, but they are [0] and []}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

// Breaks: gather C17
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x3x2xi32>) {
  // expected-error@+1 {{batching dimension 0 of operand has size 3, but its counterpart 0 of start_indices has size 5}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 8>}> : (tensor<3x100x8xf32>, tensor<5x3x2xi32>) -> tensor<5x3x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xf32>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<5x1xf32>'}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{unknown field 'offset', expected one of offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map, index_vector_dim}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset = [1]>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{field 'offset_dims' is given twice}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>, slice_sizes = array<i64: 1, 8>}> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return
}
