// Verifier errors of convolutions.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected a number, 'b' or 'f', but got 'i'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, i]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'b' is given twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, b]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected 'i' and 'o' among the dimensions}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected the spatial dimensions 0 to 0, each once}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[1, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'padding' is no attribute of a window: expected stride, pad, lhs_dilate, rhs_dilate or reverse}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {padding = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stride' is given twice}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected true or false}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C12
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{has dimension numbers for rank 2, but lhs has rank 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C17
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{has dimension numbers for rank 2, but rhs has rank 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C19
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{has dimension numbers for rank 2, but the result has rank 3}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C13
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{dimension 3 in dimension_numbers is out of range for rank-3 lhs}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 3, input_feature_dimension = 0, input_spatial_dimensions = [1], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [1], output_batch_dimension = 1, output_feature_dimension = 2, output_spatial_dimensions = [0]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C13
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{dimension 0 occurs twice in dimension_numbers}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_feature_dimension = 1, kernel_input_feature_dimension = 0, input_spatial_dimensions = [0], kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [1], output_batch_dimension = 1, output_feature_dimension = 2, output_spatial_dimensions = [0]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{unknown field 'batch', expected one of input_batch_dimension, input_feature_dimension}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw batch = 3>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C3
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{window_strides must be positive, but is [0]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C6
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{lhs_dilation must be positive, but is [-1]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [-1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C7
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{rhs_dilation must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C9
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{window_reversal must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C4
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{padding must have 2 entries for each of 1 dimensions of the window, but has shape [2, 2]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C21
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{group counts must be positive, but are 0 and 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C23
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{only one of feature_group_count and batch_group_count may be above 1, but they are 3 and 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 3 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C11
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{feature_group_count 2 does not divide the 3 features of the image}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C16
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{feature_group_count 3 does not divide the 4 output features of the kernel}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C10
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{batch_group_count 4 does not divide the 2 images of the batch}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C15
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x3xf32>) {
  // expected-error@+1 {{batch_group_count 2 does not divide the 3 output features of the kernel}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x3xf32>) -> tensor<1x7x3xf32>
  return
}

// -----

// Breaks: convolution C14
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x2x4xf32>) {
  // expected-error@+1 {{requires a kernel of as many input features as a group of the image has, 3, but it has 2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x2x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C25
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{requires a result of shape 'tensor<2x5x4xf32>', but it is 'tensor<2x7x4xf32>'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C25
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{requires a result of shape 'tensor<2x9x4xf32>', but it is 'tensor<2x7x4xf32>'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{has a padded dimension of 2^62 elements or more}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[4611686018427387904, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C27
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xcomplex<f32>>) {
  // expected-error@+1 {{requires element types that are all real or all complex}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xcomplex<f32>>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C1
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error@+1 {{requires operands and result of one rank}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, 1, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C24
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{precision_config has 3 entries, but there are 2 operands}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C2
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op window_strides must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C5
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op lhs_dilation must have one entry per dimension of the window, but has 2 for rank 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C8
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op rhs_dilation must be positive, but is [0]}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C22
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op group counts must be positive, but are 1 and 0}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C26
func.func @bad(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op has dimension numbers for rank 3, but the result has rank 4}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4x1xf32>
  return
}

// -----

// Breaks: convolution C18
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension 3 in dimension_numbers is out of range for rank-3 rhs}}
  %0 = "stablehlo.convolution"(%x, %y) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C18
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension 0 occurs twice in dimension_numbers [0, 2, 0]}}
  %0 = "stablehlo.convolution"(%x, %y) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C20
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension 3 in dimension_numbers is out of range for rank-3 the result}}
  %0 = "stablehlo.convolution"(%x, %y) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 3, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}

// -----

// Breaks: convolution C20
func.func @bad(%x: tensor<2x9x3xf32>, %y: tensor<3x3x4xf32>) {
  // expected-error@+1 {{'stablehlo.convolution' op dimension 1 occurs twice in dimension_numbers [1, 2, 1]}}
  %0 = "stablehlo.convolution"(%x, %y) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 1, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return
}
