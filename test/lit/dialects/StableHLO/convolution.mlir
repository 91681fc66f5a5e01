// Convolutions: dimension numbers, windows, groups.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @window(
// GENERIC-LABEL: sym_name = "window"
func.func @window(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>, %v: tensor<3x3x3x4xf32>, %y: tensor<2x9x9x3xf32>) {
  // CHECK: stablehlo.convolution(%{{[^ ,)]+}}, %{{[^ ,)]+}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  // GENERIC: "stablehlo.convolution"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  // CHECK: window = {stride = [1], rhs_dilate = [1]} {
  // GENERIC: rhs_dilation = array<i64: 1>, window_strides = array<i64: 1>}>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {rhs_dilate = [1], stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  // CHECK: window = {pad = {{\[\[}}1, -1]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [], x = 1 : i8} :
  // GENERIC: padding = dense<{{\[\[}}1, -1]]> : tensor<1x2xi64>, precision_config = [], window_reversal = array<i1: true>}> {x = 1 : i8}
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [1], pad = [[1, -1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64, x = 1 : i8, precision_config = []} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  // CHECK: window = {stride = [2, 2], pad = {{\[\[}}1, 0], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x3x8x4xf32>
  %3 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 0], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x3x8x4xf32>
  return
}

// A window without spatial dimensions is a matrix product; one larger than the image has no place.
// CHECK-LABEL: func.func @sizes(
func.func @sizes(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %y: tensor<1x2x3xbf16>, %v: tensor<5x3x4xbf16>, %n: tensor<0x9x3xi8>, %k: tensor<3x3x4xi8>) {
  // CHECK: dim_numbers = [b, f]x[i, o]->[b, f], window = {} {{.*}} -> tensor<2x4xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: -> tensor<1x0x4xbf16>
  %1 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x3xbf16>, tensor<5x3x4xbf16>) -> tensor<1x0x4xbf16>
  // CHECK: -> tensor<0x7x4xi32>
  %2 = stablehlo.convolution(%n, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<0x9x3xi8>, tensor<3x3x4xi8>) -> tensor<0x7x4xi32>
  return
}

// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<4x9x6xf32>, %w: tensor<3x2x12xf32>, %v: tensor<9x6x8xf32>) {
  // CHECK: {batch_group_count = 1 : i64, feature_group_count = 3 : i64}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<4x9x6xf32>, tensor<3x2x12xf32>) -> tensor<4x7x12xf32>
  // CHECK: {batch_group_count = 2 : i64, feature_group_count = 1 : i64} {{.*}} -> tensor<2x1x8xf32>
  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x9x6xf32>, tensor<9x6x8xf32>) -> tensor<2x1x8xf32>
  return
}

// The raw form of dimension numbers, and the filter gradient's roles.
// CHECK-LABEL: func.func @roles(
func.func @roles(%x: tensor<2x9x3xf32>, %w: tensor<2x7x4xf32>) {
  // CHECK: dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {{.*}} -> tensor<3x3x4xf32>
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 2, input_feature_dimension = 0, input_spatial_dimensions = [1], kernel_input_feature_dimension = 0, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [1], output_batch_dimension = 1, output_feature_dimension = 2, output_spatial_dimensions = [0]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<2x7x4xf32>) -> tensor<3x3x4xf32>
  return
}
