// RUN: %systole-opt %s --systole-fold-windows --split-input-file | FileCheck %s

// Three features lie across, the columns along the lanes: the seven rows of a window become features
// of positions that are two apart, and its columns stay.
// CHECK-LABEL: @main(
// CHECK: %[[S:.*]] = stablehlo.reshape %arg1 : (tensor<7x7x3x64xf32>) -> tensor<1x7x7x1x3x64xf32>
// CHECK: stablehlo.transpose %[[S]], dims = [0, 2, 1, 3, 4, 5]
// CHECK: %[[P:.*]] = stablehlo.pad %arg0, {{.*}} low = [0, 3, 3, 0], high = [0, 2, 2, 0]
// CHECK: %[[A:.*]] = stablehlo.slice %[[P]] [0:8, 0:223:2, 0:229, 0:3]
// CHECK: %[[G:.*]] = stablehlo.slice %[[P]] [0:8, 6:229:2, 0:229, 0:3]
// CHECK: %[[X:.*]] = stablehlo.concatenate %[[A]], {{.*}}, %[[G]], dim = 3 : {{.*}} -> tensor<8x112x229x21xf32>
// CHECK: %[[W:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x7x7x1x3x64xf32>) -> tensor<1x7x21x64xf32>
// CHECK: stablehlo.convolution(%[[X]], %[[W]]) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = {{\[\[}}0, 0], [0, 0]], rhs_dilate = [1, 1]}
func.func @main(%x: tensor<8x224x224x3xf32>, %w: tensor<7x7x3x64xf32>) -> tensor<8x112x112x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 2], [3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<8x112x112x64xf32>
  return %0 : tensor<8x112x112x64xf32>
}

// -----

// The gradient of that filter sees the same image; what it computes for each feature is an element of
// the filter.
// CHECK-LABEL: @main(
// CHECK: %[[X:.*]] = stablehlo.concatenate {{.*}}, dim = 3 : {{.*}} -> tensor<8x112x229x21xf32>
// CHECK: %[[Y:.*]] = stablehlo.convolution(%[[X]], %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {stride = [1, 1], pad = {{\[\[}}0, 0], [0, 0]], rhs_dilate = [1, 2]} {{.*}} -> tensor<1x7x64x21xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[Y]], dims = [0, 1, 3, 2]
// CHECK: %[[S:.*]] = stablehlo.reshape %[[T]] : (tensor<1x7x21x64xf32>) -> tensor<1x7x7x1x3x64xf32>
// CHECK: %[[M:.*]] = stablehlo.transpose %[[S]], dims = [0, 2, 1, 3, 4, 5]
// CHECK: stablehlo.reshape %[[M]] : (tensor<1x7x7x1x3x64xf32>) -> tensor<7x7x3x64xf32>
func.func @main(%x: tensor<8x224x224x3xf32>, %g: tensor<8x112x112x64xf32>) -> tensor<7x7x3x64xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[3, 2], [3, 2]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x224x224x3xf32>, tensor<8x112x112x64xf32>) -> tensor<7x7x3x64xf32>
  return %0 : tensor<7x7x3x64xf32>
}

// -----

// Patches are reshapes: what a window sees is in its place already.
// CHECK-LABEL: @main(
// CHECK-NOT: stablehlo.slice
// CHECK: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x224x224x3xf32>) -> tensor<4x14x16x224x3xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [0, 1, 3, 2, 4]
// CHECK: %[[X:.*]] = stablehlo.reshape %[[T]] : (tensor<4x14x224x16x3xf32>) -> tensor<4x14x224x48xf32>
// CHECK: stablehlo.convolution(%[[X]], {{.*}} window = {stride = [1, 16], {{.*}} : (tensor<4x14x224x48xf32>, tensor<1x16x48x768xf32>) -> tensor<4x14x14x768xf32>
func.func @main(%x: tensor<4x224x224x3xf32>, %w: tensor<16x16x3x768xf32>) -> tensor<4x14x14x768xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [16, 16]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x224x224x3xf32>, tensor<16x16x3x768xf32>) -> tensor<4x14x14x768xf32>
  return %0 : tensor<4x14x14x768xf32>
}

// -----

// With the batch along the lanes both dimensions of the window become features.
// CHECK-LABEL: @main(
// CHECK: stablehlo.convolution({{.*}} window = {stride = [1, 1], pad = {{\[\[}}0, 0], [0, 0]], rhs_dilate = [1, 1]} {{.*}} : (tensor<130x3x4x12xf32>, tensor<1x1x12x64xf32>) -> tensor<130x3x4x64xf32>
func.func @main(%x: tensor<130x8x7x1xf32>, %w: tensor<4x3x1x64xf32>) -> tensor<130x3x4x64xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], rhs_dilate = [1, 1], pad = [[0, 0], [0, -1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<130x8x7x1xf32>, tensor<4x3x1x64xf32>) -> tensor<130x3x4x64xf32>
  return %0 : tensor<130x3x4x64xf32>
}

// -----

// What is picked by number lies as its shape decides, too, and elementwise work keeps that.
// CHECK-LABEL: @main(
// CHECK: stablehlo.convolution({{.*}} : (tensor<8x112x229x21xf32>, tensor<1x7x21x64xf32>)
func.func @main(%x: tensor<100x224x224x3xui8>, %i: tensor<8xi32>, %w: tensor<7x7x3x64xf32>) -> tensor<8x112x112x64xf32> {
  %p = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 224, 224, 3>}> : (tensor<100x224x224x3xui8>, tensor<8xi32>) -> tensor<8x224x224x3xui8>
  %f = stablehlo.convert %p : (tensor<8x224x224x3xui8>) -> tensor<8x224x224x3xf32>
  %0 = stablehlo.convolution(%f, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 2], [3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x224x224x3xf32>, tensor<7x7x3x64xf32>) -> tensor<8x112x112x64xf32>
  return %0 : tensor<8x112x112x64xf32>
}

// -----

// Features that lie along the lanes stay there, however few: here the result of another convolution.
// CHECK-LABEL: @main(
// CHECK: %[[Y:.*]] = stablehlo.convolution(%arg0, %arg1)
// CHECK-NEXT: stablehlo.convolution(%[[Y]], %arg2)
// CHECK-NEXT: return
func.func @main(%x: tensor<2x32x32x3xf32>, %v: tensor<1x1x3x3xf32>, %w: tensor<7x7x3x64xf32>) -> tensor<2x13x13x64xf32> {
  %y = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x32x3xf32>, tensor<1x1x3x3xf32>) -> tensor<2x32x32x3xf32>
  %0 = stablehlo.convolution(%y, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x32x3xf32>, tensor<7x7x3x64xf32>) -> tensor<2x13x13x64xf32>
  return %0 : tensor<2x13x13x64xf32>
}

// -----

// 128 images of one feature lie side by side along the lanes, where the gradient sums them: what the four elements of
// the filter see at each position, times the gradient there. The columns are two apart.
// CHECK-LABEL: @main(
// CHECK: %[[X:.*]] = stablehlo.transpose %arg0, dims = [1, 2, 3, 0] : (tensor<128x5x6x1xf32>) -> tensor<5x6x1x128xf32>
// CHECK: %[[A:.*]] = stablehlo.slice %[[X]] [0:5, 0:5:2, 0:1, 0:128]
// CHECK: %[[B:.*]] = stablehlo.slice %[[X]] [0:5, 1:6:2, 0:1, 0:128]
// CHECK: %[[C:.*]] = stablehlo.concatenate %[[A]], %[[B]], dim = 2 : {{.*}} -> tensor<5x3x2x128xf32>
// CHECK: %[[D:.*]] = stablehlo.slice %[[C]] [0:4, 0:3, 0:2, 0:128]
// CHECK: %[[E:.*]] = stablehlo.slice %[[C]] [1:5, 0:3, 0:2, 0:128]
// CHECK: %[[F:.*]] = stablehlo.concatenate %[[D]], %[[E]], dim = 2 : {{.*}} -> tensor<4x3x4x128xf32>
// CHECK: %[[P:.*]] = stablehlo.dot_general %[[F]], %arg1, batching_dims = [0, 1] x [1, 2], contracting_dims = [3] x [0] : {{.*}} -> tensor<4x3x4x16xf32>
// CHECK: %[[S:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 1]
// CHECK: stablehlo.reshape %[[S]] : (tensor<4x16xf32>) -> tensor<2x2x1x16xf32>
func.func @main(%x: tensor<128x5x6x1xf32>, %g: tensor<128x4x3x16xf32>) -> tensor<2x2x1x16xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<128x5x6x1xf32>, tensor<128x4x3x16xf32>) -> tensor<2x2x1x16xf32>
  return %0 : tensor<2x2x1x16xf32>
}

// -----

// A filter of 100 rows gives more sums for each position than there are images, 16.
// CHECK-LABEL: @main(
// CHECK-NOT: dot_general
func.func @main(%x: tensor<16x5x21x4xf32>, %g: tensor<16x1x17x8xf32>) -> tensor<5x5x4x8xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<16x5x21x4xf32>, tensor<16x1x17x8xf32>) -> tensor<5x5x4x8xf32>
  return %0 : tensor<5x5x4x8xf32>
}
