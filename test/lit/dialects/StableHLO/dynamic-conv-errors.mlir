// Verifier errors of convolutions with dynamic padding.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: dynamic_conv C1
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires operands and result of one rank}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0, 3], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C2
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op window_strides must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C3
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op window_strides must be positive, but is [0]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C5
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op lhs_dilation must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C6
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op lhs_dilation must be positive, but is [0]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 0>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C7
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op rhs_dilation must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 1>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C8
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op rhs_dilation must be positive, but is [0]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 0>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C9
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op window_reversal must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, window_reversal = array<i1: true, false>}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C10
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op batch_group_count 4 does not divide the 2 images of the batch}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 4 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C11
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op feature_group_count 2 does not divide the 3 features of the image}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 2 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C12
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<0x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op has dimension numbers for rank 2, but lhs has rank 3}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<0x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C13
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 3 in dimension_numbers is out of range for rank-3 lhs}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 3, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C13
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 1 occurs twice in dimension_numbers [1, 2, 1]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 1, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C14
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x2x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a kernel of as many input features as a group of the image has, 3, but it has 2}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x2x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C15
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x3xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op batch_group_count 2 does not divide the 3 output features of the kernel}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x3xf32>, tensor<1x2xi32>) -> tensor<1x?x3xf32>
  return
}

// -----

// Breaks: dynamic_conv C16
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x1x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op feature_group_count 3 does not divide the 4 output features of the kernel}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 3 : i64}> : (tensor<2x9x3xf32>, tensor<3x1x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C17
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op has dimension numbers for rank 2, but rhs has rank 3}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C18
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 3 in dimension_numbers is out of range for rank-3 rhs}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C18
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 0 occurs twice in dimension_numbers [0, 2, 0]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C19
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op has dimension numbers for rank 2, but the result has rank 3}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = []>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C20
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 3 in dimension_numbers is out of range for rank-3 the result}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 3, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C20
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op dimension 1 occurs twice in dimension_numbers [1, 2, 1]}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 1, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C21
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op group counts must be positive, but are 0 and 1}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 0 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C22
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op group counts must be positive, but are 1 and 0}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C23
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x1x6xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op only one of feature_group_count and batch_group_count may be above 1, but they are 3 and 2}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 3 : i64}> : (tensor<2x9x3xf32>, tensor<3x1x6xf32>, tensor<1x2xi32>) -> tensor<1x?x6xf32>
  return
}

// -----

// Breaks: dynamic_conv C24
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op precision_config has 3 entries, but there are 2 operands}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C25
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a result of shape 'tensor<2x?x4xf32>', but it is 'tensor<3x?x4xf32>'}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<3x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C26
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op has dimension numbers for rank 3, but the result has rank 4}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4x1xf32>
  return
}

// -----

// Breaks: dynamic_conv C27
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xcomplex<f32>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires element types that are all real or all complex}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xcomplex<f32>>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return
}

// -----

// Breaks: dynamic_conv C28
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a quantized rhs, and both lhs and result quantized or none of them}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<1x2xi32>) -> tensor<2x?x2xf32>
  return
}

// -----

// Breaks: dynamic_conv C29
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires rhs to be quantized along kernel_output_feature_dimension, 2, if along a dimension, but it is along 0}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>, tensor<1x2xi32>) -> tensor<2x?x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dynamic_conv C30
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires the result to be quantized along output_feature_dimension, 2, if along a dimension, but it is along 0}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, tensor<1x2xi32>) -> tensor<2x?x2x!quant.uniform<i32:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Breaks: dynamic_conv C31
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i4:f32, 5.000000e-01>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires one storage type for lhs and rhs}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i4:f32, 5.000000e-01>>, tensor<1x2xi32>) -> tensor<2x?x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dynamic_conv C32
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i8:bf16, 5.000000e-01>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires one expressed type}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:bf16, 5.000000e-01>>, tensor<1x2xi32>) -> tensor<2x?x2x!quant.uniform<i32:f32, 5.000000e-01>>
  return
}

// -----

// Breaks: dynamic_conv C33
func.func @bad(%x: tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, %y: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires a result with one scale if rhs has one}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<1x2xi32>) -> tensor<2x?x2x!quant.uniform<i32:f32:2, {1.0, 2.0}>>
  return
}

// -----

// Breaks: dynamic_conv C34
func.func @bad(%x: tensor<2x9x3xbf16>, %y: tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, %z: tensor<1x2xi32>) {
  // expected-error@+1 {{'stablehlo.dynamic_conv' op requires lhs and result of the type that rhs expresses}}
  %0 = "stablehlo.dynamic_conv"(%x, %y, %z) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xbf16>, tensor<3x3x2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<1x2xi32>) -> tensor<2x?x2xf32>
  return
}
