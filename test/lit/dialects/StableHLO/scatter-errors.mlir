// Verifier errors of scatters.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: scatter C5
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{requires at least one of inputs}}
  "stablehlo.scatter"(%i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x1xi32>) -> ()
  return
}

// -----

// Breaks: scatter C10
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{inserted_window_dims must ascend, but is [1, 0]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C11
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{dimension 2 in inserted_window_dims is out of range for rank-2 input}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C9
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{dimension 0 occurs both in inserted_window_dims and in input_batching_dims}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C22
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{index_vector_dim 3 is not between 0 and the rank of scatter_indices, 2}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C19
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x2xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{scatter_dims_to_operand_dims has 1 entries, but an index has 2 coordinates}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x2xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C17
func.func @bad(%x: tensor<5x100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{requires as many input_batching_dims as scatter_indices_batching_dims, but they are [0] and []}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<5x100x8xf32>
  return
}

// -----

// Breaks: scatter C18
func.func @bad(%x: tensor<3x100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{batching dimension 0 of input has size 3, but its counterpart 0 of scatter_indices has size 5}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C2
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{update_window_dims must have one entry per input dimension that windows have, [1], but is []}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C8
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{dimension 2 in update_window_dims is out of range for rank-2 updates}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C4
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x9xf32>) {
  // expected-error@+1 {{window size 9 is above size 8 of dimension 1}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x9xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C4
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<6x8xf32>) {
  // expected-error@+1 {{requires updates with the dimensions of scatter_indices, [5], beside those of windows, but these are [6]}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<6x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C24
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{requires results of the inputs' shape, but they are 'tensor<100x8xf32>' and result #0 is 'tensor<100x9xf32>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x9xf32>
  return
}

// -----

// Breaks: scatter C23
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{requires a body with 2 arguments, two per input, but it has 1}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C6
func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xi32>) {
  // expected-error@+1 {{cannot reduce 'tensor<5x8xi32>' to elements of type 'f32'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xi32>) -> tensor<100x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+1 {{unknown field 'offset_dims', expected one of update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims, scatter_dims_to_operand_dims, index_vector_dim}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<offset_dims = [1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return
}

// -----

// Breaks: scatter C1
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x101x8xf32>, %z: tensor<3x5x1xi32>, %u: tensor<3x5x8xf32>, %v: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op requires the same shape for all inputs, but #0 is 'tensor<3x100x8xf32>' and #1 is 'tensor<3x101x8xf32>'}}
  %0:2 = "stablehlo.scatter"(%x, %y, %z, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x101x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> (tensor<3x100x8xf32>, tensor<3x101x8xf32>)
  return
}

// -----

// Breaks: scatter C3
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x100x8xf32>, %z: tensor<3x5x1xi32>, %u: tensor<3x5x8xf32>, %v: tensor<3x5x7xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op requires the same shape for all updates, but #0 is 'tensor<3x5x8xf32>' and #1 is 'tensor<3x5x7xf32>'}}
  %0:2 = "stablehlo.scatter"(%x, %y, %z, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %c, %d : tensor<f32>, tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>, tensor<3x5x7xf32>) -> (tensor<3x100x8xf32>, tensor<3x100x8xf32>)
  return
}

// -----

// Breaks: scatter C7
func.func @bad(%x: tensor<100x8x8xf32>, %y: tensor<5x1xi32>, %z: tensor<5x8x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op update_window_dims must ascend, but is [2, 1]}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<100x8x8xf32>, tensor<5x1xi32>, tensor<5x8x8xf32>) -> tensor<100x8x8xf32>
  return
}

// -----

// Breaks: scatter C12
func.func @bad(%x: tensor<3x3x100x8xf32>, %y: tensor<3x3x1xi32>, %z: tensor<3x3x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op input_batching_dims must ascend, but is [1, 0]}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x3x100x8xf32>, tensor<3x3x1xi32>, tensor<3x3x8xf32>) -> tensor<3x3x100x8xf32>
  return
}

// -----

// Breaks: scatter C14
func.func @bad(%x: tensor<3x3x100x8xf32>, %y: tensor<3x3x1xi32>, %z: tensor<3x3x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op dimension 0 occurs twice in scatter_indices_batching_dims [0, 0]}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x3x100x8xf32>, tensor<3x3x1xi32>, tensor<3x3x8xf32>) -> tensor<3x3x100x8xf32>
  return
}

// -----

// Breaks: scatter C13
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op dimension 3 in input_batching_dims is out of range for rank-3 input}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [3], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C15
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op dimension 3 in scatter_indices_batching_dims is out of range for rank-3 scatter_indices}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C16
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op scatter_indices_batching_dims [2] must not contain index_vector_dim 2}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C20
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op dimension 0 occurs both in scatter_dims_to_operand_dims and in input_batching_dims}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C21
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op dimension 3 in scatter_dims_to_operand_dims is out of range for rank-3 input}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [3], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf32>
  return
}

// -----

// Breaks: scatter C25
func.func @bad(%x: tensor<3x100x8xf32>, %y: tensor<3x5x1xi32>, %z: tensor<3x5x8xf32>) {
  // expected-error@+1 {{'stablehlo.scatter' op requires 'tensor<f64>' for argument #0 of the body, after result #0, but it is 'tensor<f32>'}}
  %0 = "stablehlo.scatter"(%x, %y, %z) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x100x8xf32>, tensor<3x5x1xi32>, tensor<3x5x8xf32>) -> tensor<3x100x8xf64>
  return
}
