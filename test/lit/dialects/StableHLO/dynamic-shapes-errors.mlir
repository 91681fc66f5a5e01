// Verifier errors of shapes that are values.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_broadcast_in_dim C1
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op requires the same element type for operand and result}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf64>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C2
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op broadcast_dimensions must have one entry per dimension of operand, but has 0 for rank 1}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C3
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op dimension 2 in broadcast_dimensions is out of range for rank-2 result}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C4
func.func @bad(%x: tensor<4x4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op dimension 1 occurs twice in broadcast_dimensions [1, 1]}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 1] : (tensor<4x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C6
func.func @bad(%x: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op requires a result that is quantized along dimension 1}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi32>) -> tensor<?x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C9
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op dimension 1 in known dimensions is out of range for rank-1 operand}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] {known_expanding_dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_broadcast_in_dim C10
func.func @bad(%x: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op dimension 1 in known dimensions is out of range for rank-1 operand}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] {known_nonexpanding_dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return
}

// -----

// Breaks: dynamic_iota C2
func.func @bad(%s: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_iota' op requires an element of output_shape for each dimension of the result, but there are 1 for rank 2}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?x?xf32>
  return
}

// -----

// Breaks: dynamic_pad C1
func.func @bad(%x: tensor<?xf32>, %v: tensor<f64>, %s: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op requires the same element type for operand and result, but they are 'tensor<f64>' and 'tensor<?xf32>'}}
  %0 = stablehlo.dynamic_pad %x, %v, %s, %s, %s : (tensor<?xf32>, tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// Breaks: dynamic_pad C2
func.func @bad(%x: tensor<?xf32>, %v: tensor<f32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op requires an element of edge_padding_low for each dimension of the operand, but there are 2 for rank 1}}
  %0 = stablehlo.dynamic_pad %x, %v, %s, %s, %s : (tensor<?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// Breaks: dynamic_pad C4
func.func @bad(%x: tensor<?xf32>, %v: tensor<f32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_pad' op requires operand and result of one rank, but they are 'tensor<?xf32>' and 'tensor<?x?xf32>'}}
  %0 = stablehlo.dynamic_pad %x, %v, %s, %s, %s : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>
  return
}

// -----

// Breaks: dynamic_reshape C3
func.func @bad(%x: tensor<2x4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op cannot reshape across the dimension with scales, from 'tensor<2x4x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>' to 'tensor<4x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi32>) -> tensor<4x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// Breaks: dynamic_reshape C4
func.func @bad(%x: tensor<?xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op requires an element of output_shape for each dimension of the result, but there are 2 for rank 1}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?xf32>
  return
}
