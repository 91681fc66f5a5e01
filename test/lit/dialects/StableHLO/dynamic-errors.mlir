// Verifier errors of operations on sizes that are values.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_broadcast_in_dim C7
func.func @bad(%x: tensor<4xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op requires an element of output_dimensions for each dimension of the result, but there are 1 for rank 2}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<1xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C5
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{cannot broadcast operand dimension 0 of size 4 to result dimension 1 of size 5}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x5xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C8
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{known dimensions}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_reshape C1
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{requires the same element type for operand and result, but they are 'tensor<4xf32>' and 'tensor<?x?xbf16>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xbf16>
  return
}

// -----

// Breaks: dynamic_reshape C2
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{requires as many elements in the result as in the operand, but they are 'tensor<4xf32>' and 'tensor<3x2xf32>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}

// -----

// Breaks: dynamic_iota C1
func.func @bad(%s: tensor<2xi32>) {
  // expected-error@+1 {{iota_dimension 2 is out of range for rank-2 result}}
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @bad(%x: tensor<?xf32>, %v: tensor<f32>, %s: tensor<1xi32>, %t: tensor<1xi64>) {
  // expected-error@+1 {{requires one type for all positions and amounts, but there are 'tensor<1xi32>' and 'tensor<1xi64>'}}
  %0 = stablehlo.dynamic_pad %x, %v, %s, %t, %s : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi64>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @bad(%x: tensor<?xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{requires operand and result of one rank, but they are 'tensor<?xf32>' and 'tensor<?x?xf32>'}}
  %0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return
}

// -----

// Breaks: dynamic_gather C11
func.func @bad(%x: tensor<?x8xf32>, %i: tensor<3xi32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{requires an element of slice_sizes for each dimension of the operand, but there are 1 for rank 2}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x8xf32>, tensor<3xi32>, tensor<1xi32>) -> tensor<3x8xf32>
  return
}

// -----

// Breaks: dynamic_conv C4
func.func @bad(%x: tensor<?x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %pad: tensor<3x2xi32>) {
  // expected-error@+1 {{requires a padding of two elements for each of 2 spatial dimensions, but it is 'tensor<3x2xi32>'}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %pad) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<?x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<3x2xi32>) -> tensor<?x?x?x4xf32>
  return
}

// -----

// Breaks: get_dimension_size C1
func.func @bad(%x: tensor<?xf32>) {
  // expected-error@+1 {{dimension 1 is out of range for a rank-1 operand}}
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?xf32>) -> tensor<i32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires a result of the operand's other sizes, but they are 'tensor<4x8xf32>' and 'tensor<?x7xf32>'}}
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x7xf32>
  return
}
