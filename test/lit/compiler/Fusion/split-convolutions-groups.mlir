// Weights of groups are all of a step's: how many there may be is what the planner finds a kernel for.
// RUN: %systole-opt %s --systole-split-convolutions=vmem-bytes=12000000 --split-input-file | FileCheck %s

// Five results of each of 20 groups have rows of their own, 8 MB in all.
// CHECK-LABEL: @main(
// CHECK: %[[A:.*]] = stablehlo.convolution{{.*}} feature_group_count = 10 : i64{{.*}} -> tensor<1x3x2x50xf32>
// CHECK: %[[B:.*]] = stablehlo.convolution{{.*}} feature_group_count = 10 : i64{{.*}} -> tensor<1x3x2x50xf32>
// CHECK: stablehlo.concatenate %[[A]], %[[B]], dim = 3
func.func @main(%x: tensor<1x5x3x2600xf32>, %w: tensor<3x2x130x100xf32>) -> tensor<1x3x2x100xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 20 : i64} : (tensor<1x5x3x2600xf32>, tensor<3x2x130x100xf32>) -> tensor<1x3x2x100xf32>
  return %0 : tensor<1x3x2x100xf32>
}

// -----

// Weights of seven groups, 4.1 MB, are of steps with a whole image; those of eight, 4.7 MB, leave a
// step with four of its rows, 28 positions, for which they would be latched.
// CHECK-LABEL: @seven(
// CHECK-NOT: stablehlo.slice
// CHECK: stablehlo.convolution{{.*}} feature_group_count = 7 : i64
func.func @seven(%x: tensor<8x14x14x896xf32>, %w: tensor<3x3x128x896xf32>) -> tensor<8x7x7x896xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 7 : i64} : (tensor<8x14x14x896xf32>, tensor<3x3x128x896xf32>) -> tensor<8x7x7x896xf32>
  return %0 : tensor<8x7x7x896xf32>
}
// CHECK-LABEL: @eight(
// CHECK-COUNT-2: stablehlo.convolution{{.*}} feature_group_count = 4 : i64{{.*}} -> tensor<8x7x7x512xf32>
// CHECK: stablehlo.concatenate
func.func @eight(%x: tensor<8x14x14x1024xf32>, %w: tensor<3x3x128x1024xf32>) -> tensor<8x7x7x1024xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<8x14x14x1024xf32>, tensor<3x3x128x1024xf32>) -> tensor<8x7x7x1024xf32>
  return %0 : tensor<8x7x7x1024xf32>
}
