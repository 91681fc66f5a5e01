// RUN: %systole-opt %s --systole-space-to-depth --split-input-file | FileCheck %s

// Two positions of 64 features fill a row: a window of three elements sees three such pairs, of which the outer ones
// have weights for one position each.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:.*]]: tensor<2x16x16x64xf32>, %[[W:.*]]: tensor<3x3x64x64xf32>
// CHECK: %[[PAIRS:.*]] = stablehlo.reshape %[[X]] : (tensor<2x16x16x64xf32>) -> tensor<2x16x8x128xf32>
// CHECK: %[[P0:.*]] = stablehlo.pad %[[W]], %{{.*}}, low = [0, 1, 0, 0], high = [0, 2, 0, 0]
// CHECK: %[[W0:.*]] = stablehlo.reshape %[[P0]] : (tensor<3x6x64x64xf32>) -> tensor<3x3x128x64xf32>
// CHECK: %[[P1:.*]] = stablehlo.pad %[[W]], %{{.*}}, low = [0, 2, 0, 0], high = [0, 1, 0, 0]
// CHECK: %[[W1:.*]] = stablehlo.reshape %[[P1]] : (tensor<3x6x64x64xf32>) -> tensor<3x3x128x64xf32>
// CHECK: %[[BOTH:.*]] = stablehlo.concatenate %[[W0]], %[[W1]], dim = 3
// CHECK: %[[C:.*]] = stablehlo.convolution(%[[PAIRS]], %[[BOTH]]) {{.*}}pad = {{\[\[}}1, 1], [1, 1]]{{.*}}kernel.depth_blocks = array<i64: 2, 3, 1>
// CHECK: stablehlo.reshape %[[C]] : (tensor<2x16x8x128xf32>) -> tensor<2x16x16x64xf32>
func.func @forward(%x: tensor<2x16x16x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<2x16x16x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x64xf32>, tensor<3x3x64x64xf32>) -> tensor<2x16x16x64xf32>
  return %0 : tensor<2x16x16x64xf32>
}

// -----

// The gradient of the image has a reversed window and exchanged features.
// CHECK-LABEL: func.func @image_gradient
// CHECK-SAME: tensor<2x16x16x64xf32>, %[[W:.*]]: tensor<3x3x64x64xf32>
// CHECK: %[[R:.*]] = stablehlo.reverse %[[W]], dims = [0, 1]
// CHECK: stablehlo.transpose %[[R]], dims = [0, 1, 3, 2]
// CHECK: stablehlo.convolution{{.*}}[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
// CHECK-NOT: reverse
func.func @image_gradient(%x: tensor<2x16x16x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<2x16x16x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x64xf32>, tensor<3x3x64x64xf32>) -> tensor<2x16x16x64xf32>
  return %0 : tensor<2x16x16x64xf32>
}

// -----

// The gradient of the filter is summed over the positions of a pair.
// CHECK-LABEL: func.func @filter_gradient
// CHECK: %[[C:.*]] = stablehlo.convolution{{.*}} -> tensor<3x3x128x128xf32>
// CHECK: %[[S0:.*]] = stablehlo.slice %[[C]] [0:3, 0:3, 0:64, 0:128]
// CHECK: %[[T0:.*]] = stablehlo.slice %{{.*}} [0:3, 1:4, 0:64, 0:64]
// CHECK: stablehlo.slice %[[C]] [0:3, 0:3, 64:128, 0:128]
// CHECK: %[[T1:.*]] = stablehlo.slice %{{.*}} [0:3, 2:5, 0:64, 0:64]
// CHECK: stablehlo.add %[[T0]], %[[T1]]
func.func @filter_gradient(%x: tensor<2x16x16x64xf32>, %d: tensor<2x16x16x64xf32>) -> tensor<3x3x64x64xf32> {
  %0 = stablehlo.convolution(%x, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x64xf32>, tensor<2x16x16x64xf32>) -> tensor<3x3x64x64xf32>
  return %0 : tensor<3x3x64x64xf32>
}

// -----

// Neither windows of one position nor strides along them, nor 128 features, have less to do.
// CHECK-LABEL: func.func @others
// CHECK-NOT: reshape
func.func @others(%x: tensor<2x16x16x64xf32>, %w: tensor<3x1x64x64xf32>, %v: tensor<3x3x64x64xf32>, %y: tensor<2x16x16x128xf32>, %u: tensor<3x3x128x128xf32>) -> (tensor<2x16x16x64xf32>, tensor<2x16x8x64xf32>, tensor<2x16x16x128xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x64xf32>, tensor<3x1x64x64xf32>) -> tensor<2x16x16x64xf32>
  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x64xf32>, tensor<3x3x64x64xf32>) -> tensor<2x16x8x64xf32>
  %2 = stablehlo.convolution(%y, %u) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x16x16x128xf32>, tensor<3x3x128x128xf32>) -> tensor<2x16x16x128xf32>
  return %0, %1, %2 : tensor<2x16x16x64xf32>, tensor<2x16x8x64xf32>, tensor<2x16x16x128xf32>
}
