// Verifier errors of operands that are constants, and do not fit the result.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<2x3xf32>) {
  %s = stablehlo.constant dense<[3, 3]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op output_shape is [3, 3], of other than the elements of 'tensor<2x3xf32>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x3xf32>) {
  %s = stablehlo.constant dense<[6, 1]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_reshape' op output_shape is [6, 1], which is not the shape of the result, 'tensor<3x2xf32>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<3xf32>) {
  %s = stablehlo.constant dense<[-5, 3]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op output_dimensions is [-5, 3], which is not the shape of the result}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<3xf32>) {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op cannot broadcast operand dimension 0 of size 3 to size 4 of output_dimensions}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @bad(%x: tensor<3xf32>, %s: tensor<?xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_broadcast_in_dim' op operand #1 must be statically shaped 1D tensor}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @bad() {
  %s = stablehlo.constant dense<8> : tensor<1xi32>
  // expected-error@+1 {{'stablehlo.dynamic_iota' op output_shape is [8], which is not the shape of the result, 'tensor<9xi32>'}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<9xi32>
  return
}

// -----

func.func @bad(%x: tensor<3xf32>, %v: tensor<f32>, %n: tensor<1xi32>) {
  %i = stablehlo.constant dense<-2> : tensor<1xi32>
  // expected-error@+1 {{'stablehlo.dynamic_pad' op interior_padding must not be negative, but is [-2]}}
  %0 = stablehlo.dynamic_pad %x, %v, %n, %n, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// 1 + 3 + 2 * 2 + 2 elements.
func.func @bad(%x: tensor<3xf32>, %v: tensor<f32>) {
  %l = stablehlo.constant dense<1> : tensor<1xi32>
  %h = stablehlo.constant dense<2> : tensor<1xi32>
  // expected-error@+1 {{'stablehlo.dynamic_pad' op requires a result of size 10 along dimension 0, but it is 'tensor<9xf32>'}}
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %h : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<9xf32>
  return
}

// -----

func.func @bad(%x: tensor<?x8xf32>, %i: tensor<5x1xi32>) {
  %s = stablehlo.constant dense<[2, 8]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_gather' op}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

func.func @bad(%x: tensor<?x8xf32>, %i: tensor<5x1xi32>) {
  %s = stablehlo.constant dense<[1, 9]> : tensor<2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_gather' op slice size 9 is not between 0 and size 8 of dimension 1}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return
}

// -----

// 5 + 1 + 1 elements have 5 positions of a window of 3.
func.func @bad(%x: tensor<2x5x3xf32>, %w: tensor<3x3x4xf32>) {
  %p = stablehlo.constant dense<1> : tensor<1x2xi32>
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a result of shape 'tensor<2x5x4xf32>', but it is 'tensor<2x6x4xf32>'}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}> : (tensor<2x5x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x6x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x5x3xf32>, %w: tensor<0x3x4xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a window without dimensions of size 0, but it is [0]}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}> : (tensor<2x5x3xf32>, tensor<0x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x5x3xf32>, %w: tensor<3x3x4xbf16>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires the same element type for lhs and rhs}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}> : (tensor<2x5x3xf32>, tensor<3x3x4xbf16>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<f32>) {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error@+1 {{'stablehlo.rng' op shape is [2, 3], which is not the shape of the result, 'tensor<2x4xf32>'}}
  %0 = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}
