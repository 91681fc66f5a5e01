// RUN: %systole-opt %s --systole-regroup-convolutions --split-input-file | FileCheck %s

// Groups of two features are one product with weights that are zero between groups: each input feature
// i has the weights of its group's outputs, three of nine.
// CHECK-LABEL: @merge(
// CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 2, 3] : (tensor<5x2x9xf32>) -> tensor<5x3x2x9xf32>
// CHECK-NEXT: %[[W:.*]] = stablehlo.reshape %[[B]] : (tensor<5x3x2x9xf32>) -> tensor<5x6x9xf32>
// CHECK-NEXT: %[[M:.*]] = stablehlo.constant dense<{{\[\[}}true, true, true, false, false, false, false, false, false], [true, true, true, false, false, false, false, false, false], [false, false, false, true, true, true, false, false, false], [false, false, false, true, true, true, false, false, false], [false, false, false, false, false, false, true, true, true], [false, false, false, false, false, false, true, true, true]]>
// CHECK-NEXT: %[[MASK:.*]] = stablehlo.broadcast_in_dim %[[M]], dims = [1, 2]
// CHECK-NEXT: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<5x6x9xf32>
// CHECK-NEXT: %[[S:.*]] = stablehlo.select %[[MASK]], %[[W]], %[[Z]]
// CHECK-NEXT: stablehlo.convolution(%arg0, %[[S]]) {{.*}} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x6xf32>, tensor<5x6x9xf32>) -> tensor<2x5x9xf32>
// CHECK-NEXT: return
func.func @merge(%x: tensor<2x9x6xf32>, %w: tensor<5x2x9xf32>) -> tensor<2x5x9xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x9x6xf32>, tensor<5x2x9xf32>) -> tensor<2x5x9xf32>
  return %0 : tensor<2x5x9xf32>
}

// -----

// As many as fill the arrays: four times 128 features instead of 32 times 16.
// CHECK-LABEL: @fill(
// CHECK: stablehlo.convolution({{.*}} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x9x512xf32>, tensor<3x128x512xf32>) -> tensor<2x7x512xf32>
func.func @fill(%x: tensor<2x9x512xf32>, %w: tensor<3x16x512xf32>) -> tensor<2x7x512xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 32 : i64} : (tensor<2x9x512xf32>, tensor<3x16x512xf32>) -> tensor<2x7x512xf32>
  return %0 : tensor<2x7x512xf32>
}

// -----

// The gradient of a filter with three groups: of one product what belongs to the same group.
// CHECK-LABEL: @merge_gradient(
// CHECK: %[[Y:.*]] = stablehlo.convolution({{.*}} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x6xf32>, tensor<2x7x9xf32>) -> tensor<3x6x9xf32>
// CHECK: %[[S:.*]] = stablehlo.select %{{.*}}, %[[Y]],
// CHECK: %[[P:.*]] = stablehlo.reshape %[[S]] : (tensor<3x6x9xf32>) -> tensor<3x3x2x9xf32>
// CHECK: stablehlo.reduce(%[[P]] {{.*}} across dimensions = [1]
func.func @merge_gradient(%x: tensor<2x9x6xf32>, %g: tensor<2x7x9xf32>) -> tensor<3x2x9xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {batch_group_count = 3 : i64, feature_group_count = 1 : i64} : (tensor<2x9x6xf32>, tensor<2x7x9xf32>) -> tensor<3x2x9xf32>
  return %0 : tensor<3x2x9xf32>
}
