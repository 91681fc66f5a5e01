// RUN: %systole-opt %s --systole-canonicalize-convolutions --split-input-file | FileCheck %s

// Already rows of features that stream past weights.
// CHECK-LABEL: @positions(
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = {{\[\[}}1, 1], [1, 1]]}
// CHECK-NEXT: return
func.func @positions(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x9x9x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x9x9x4xf32>
  return %0 : tensor<2x9x9x4xf32>
}

// -----

// The gradient of an image: the kernel's input features lie along its lanes already, and where the
// stride was two there are four phases of positions.
// CHECK-LABEL: @image_gradient(
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = {{\[\[}}1, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]}
// CHECK-NEXT: return
func.func @image_gradient(%g: tensor<2x5x5x4xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x10x10x3xf32> {
  %0 = stablehlo.convolution(%g, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x5x4xf32>, tensor<3x3x3x4xf32>) -> tensor<2x10x10x3xf32>
  return %0 : tensor<2x10x10x3xf32>
}

// -----

// A kernel that is reversed along its window is a window that is; sums over positions take it as it is.
// CHECK-LABEL: @reversed_kernel(
// CHECK: stablehlo.convolution(%arg0, %arg1) {{.*}} reverse = [false, true]}
// CHECK-NEXT: return
func.func @reversed_kernel(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x7x7x4xf32> {
  %r = stablehlo.reverse %w, dims = [0, 1] : tensor<3x3x3x4xf32>
  %0 = stablehlo.convolution(%x, %r) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x7x7x4xf32>
  return %0 : tensor<2x7x7x4xf32>
}

// CHECK-LABEL: @reversed_sum(
// CHECK: %[[G:.*]] = stablehlo.reverse %arg1, dims = [1, 2]
// CHECK: stablehlo.convolution(%arg0, %[[G]]) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b]
func.func @reversed_sum(%x: tensor<2x9x9x3xf32>, %g: tensor<2x9x9x4xf32>) -> tensor<3x3x3x4xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<2x9x9x4xf32>) -> tensor<3x3x3x4xf32>
  return %0 : tensor<3x3x3x4xf32>
}

// -----

// A stride and a dilated image have no phases: zeros stand between the elements.
// CHECK-LABEL: @dilation(
// CHECK-NEXT: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[X:.*]] = stablehlo.pad %arg0, %[[Z]], low = [0, 1, 0, 0], high = [0, 1, 0, 0], interior = [0, 1, 0, 0]
// CHECK-NEXT: stablehlo.convolution(%[[X]], %arg1) {{.*}} window = {stride = [2, 1], pad = {{\[\[}}0, 0], [1, 2]], lhs_dilate = [1, 3], rhs_dilate = [1, 1]}
// CHECK-NEXT: return
func.func @dilation(%x: tensor<2x5x5x4xf32>, %w: tensor<3x3x4x3xf32>) -> tensor<2x5x14x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 2]], lhs_dilate = [2, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x5x4xf32>, tensor<3x3x4x3xf32>) -> tensor<2x5x14x3xf32>
  return %0 : tensor<2x5x14x3xf32>
}

// -----

// Features by themselves, and how their filters get their gradients.
// CHECK-LABEL: @channels(
// CHECK-NEXT: %[[W:.*]] = stablehlo.transpose %arg1, dims = [0, 2, 1]
// CHECK-NEXT: stablehlo.convolution(%arg0, %[[W]]) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], {{.*}} {batch_group_count = 1 : i64, feature_group_count = 8 : i64}
// CHECK-NEXT: return
func.func @channels(%x: tensor<2x9x8xf32>, %w: tensor<3x8x1xf32>) -> tensor<2x7x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, o, i]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x9x8xf32>, tensor<3x8x1xf32>) -> tensor<2x7x8xf32>
  return %0 : tensor<2x7x8xf32>
}

// CHECK-LABEL: @channel_filter(
// CHECK-NEXT: %[[Y:.*]] = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], {{.*}} {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : {{.*}} -> tensor<3x1x8xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.convert %[[Y]]
// CHECK-NEXT: stablehlo.transpose %[[R]], dims = [1, 0, 2]
// CHECK-NEXT: return
func.func @channel_filter(%x: tensor<2x9x8xbf16>, %g: tensor<2x7x8xbf16>) -> tensor<1x3x8xbf16> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, b]x[i, 0, o]->[b, 0, f], window = {} {batch_group_count = 8 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8xbf16>, tensor<2x7x8xbf16>) -> tensor<1x3x8xbf16>
  return %0 : tensor<1x3x8xbf16>
}

// -----

// Sums that are done in chunks are wide, whoever wrote the form.
// CHECK-LABEL: @narrow_gradient(
// CHECK-NEXT: %[[Y:.*]] = stablehlo.convolution(%arg0, %arg1) {{.*}} -> tensor<3x3x4x3xf32>
// CHECK-NEXT: stablehlo.convert %[[Y]] : (tensor<3x3x4x3xf32>) -> tensor<3x3x4x3xbf16>
// CHECK-NEXT: return
func.func @narrow_gradient(%x: tensor<2x9x9x3xbf16>, %g: tensor<2x9x9x4xbf16>) -> tensor<3x3x4x3xbf16> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xbf16>, tensor<2x9x9x4xbf16>) -> tensor<3x3x4x3xbf16>
  return %0 : tensor<3x3x4x3xbf16>
}

// -----

// The gradient of a filter: the window is large, the result small.
// CHECK-LABEL: @filter_gradient(
// CHECK-NEXT: %[[Y:.*]] = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], rhs_dilate = [1, 1]} {{.*}} -> tensor<3x3x4x3xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.convert %[[Y]]
// CHECK-NEXT: stablehlo.transpose %[[R]], dims = [0, 1, 3, 2]
// CHECK-NEXT: return
func.func @filter_gradient(%x: tensor<2x9x9x3xbf16>, %g: tensor<2x9x9x4xbf16>) -> tensor<3x3x3x4xbf16> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xbf16>, tensor<2x9x9x4xbf16>) -> tensor<3x3x3x4xbf16>
  return %0 : tensor<3x3x3x4xbf16>
}

// -----

// Features first, as PyTorch has them.
// CHECK-LABEL: @features_first(
// CHECK-NEXT: %[[X:.*]] = stablehlo.transpose %arg0, dims = [0, 2, 3, 1]
// CHECK-NEXT: %[[W:.*]] = stablehlo.transpose %arg1, dims = [2, 3, 1, 0]
// CHECK-NEXT: %[[Y:.*]] = stablehlo.convolution(%[[X]], %[[W]]) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
// CHECK-NEXT: stablehlo.transpose %[[Y]], dims = [0, 3, 1, 2]
// CHECK-NEXT: return
func.func @features_first(%x: tensor<2x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x7x7xf32>
  return %0 : tensor<2x4x7x7xf32>
}

// -----

// A window of one element is a product of matrices if it has many features; strides leave positions
// out.
// CHECK-LABEL: @product(
// CHECK-NEXT: %[[X:.*]] = stablehlo.slice %arg0 [0:2, 0:9:2, 0:9:4, 0:5000]
// CHECK-NEXT: %[[W:.*]] = stablehlo.reshape %arg1
// CHECK-NEXT: stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [3] x [0]
// CHECK-NEXT: return
func.func @product(%x: tensor<2x9x9x5000xf32>, %w: tensor<1x1x5000x4xf32>) -> tensor<2x5x3x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x5000xf32>, tensor<1x1x5000x4xf32>) -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// CHECK-LABEL: @one_element(
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1)
// CHECK-NEXT: return
func.func @one_element(%x: tensor<2x9x9x8xf32>, %w: tensor<1x1x8x4xf32>) -> tensor<2x5x3x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 4]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x8xf32>, tensor<1x1x8x4xf32>) -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// Few features on both sides: positions may come to lie along the lanes.
// CHECK-LABEL: @few_features(
// CHECK: stablehlo.dot_general
func.func @few_features(%x: tensor<2x9x9x40xf32>, %w: tensor<1x1x40x24xf32>) -> tensor<2x9x9x24xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xf32>, tensor<1x1x40x24xf32>) -> tensor<2x9x9x24xf32>
  return %0 : tensor<2x9x9x24xf32>
}

// CHECK-LABEL: @more_features(
// CHECK-NEXT: stablehlo.convolution
func.func @more_features(%x: tensor<2x9x9x40xf32>, %w: tensor<1x1x40x25xf32>) -> tensor<2x9x9x25xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x40xf32>, tensor<1x1x40x25xf32>) -> tensor<2x9x9x25xf32>
  return %0 : tensor<2x9x9x25xf32>
}

// CHECK-LABEL: @no_window(
// CHECK: stablehlo.dot_general
func.func @no_window(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Groups of the batch become groups of features.
// CHECK-LABEL: @batch_groups(
// CHECK-NEXT: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<4x9x3xf32>) -> tensor<2x2x9x3xf32>
// CHECK-NEXT: %[[B:.*]] = stablehlo.transpose %[[A]], dims = [1, 2, 0, 3]
// CHECK-NEXT: %[[C:.*]] = stablehlo.reshape %[[B]] : (tensor<2x9x2x3xf32>) -> tensor<2x9x6xf32>
// CHECK-NEXT: stablehlo.convolution(%[[C]], %arg1) {{.*}} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
// CHECK-NEXT: return
func.func @batch_groups(%x: tensor<4x9x3xf32>, %w: tensor<3x3x8xf32>) -> tensor<2x7x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x9x3xf32>, tensor<3x3x8xf32>) -> tensor<2x7x8xf32>
  return %0 : tensor<2x7x8xf32>
}

// -----

// What is removed from the image is no padding of the window.
// CHECK-LABEL: @negative_padding(
// CHECK-NEXT: %[[Z:.*]] = stablehlo.constant
// CHECK-NEXT: %[[X:.*]] = stablehlo.pad %arg0, %[[Z]], low = [0, -1, 0], high = [0, 1, 0], interior = [0, 0, 0]
// CHECK-NEXT: stablehlo.convolution(%[[X]], %arg1) {{.*}} pad = {{\[\[}}0, 0]]
// CHECK-NEXT: return
func.func @negative_padding(%x: tensor<2x9x3xf32>, %w: tensor<3x3x4xf32>) -> tensor<2x7x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xf32>, tensor<3x3x4xf32>) -> tensor<2x7x4xf32>
  return %0 : tensor<2x7x4xf32>
}

// -----

// Nothing to sum.
// CHECK-LABEL: @empty(
// CHECK-NEXT: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x7x4xf32>
// CHECK-NEXT: return %[[Z]]
func.func @empty(%x: tensor<2x9x0xf32>, %w: tensor<3x0x4xf32>) -> tensor<2x7x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x0xf32>, tensor<3x0x4xf32>) -> tensor<2x7x4xf32>
  return %0 : tensor<2x7x4xf32>
}
