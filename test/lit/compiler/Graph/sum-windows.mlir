// RUN: %systole-opt %s --systole-sum-windows --split-input-file | FileCheck %s

// The result lies with its columns along the lanes, so that the three rows of the window become
// features of one product, nine with the columns: the sum of nine slices. The padding is the product's.
// CHECK-LABEL: @main(
// CHECK: %[[T:.*]] = stablehlo.transpose %arg1, dims = [2, 0, 1, 3]
// CHECK: %[[W:.*]] = stablehlo.reshape %[[T]] : (tensor<64x3x3x3xf32>) -> tensor<1x1x64x27xf32>
// CHECK: %[[P:.*]] = stablehlo.convolution(%arg0, %[[W]]) {{.*}} pad = {{\[\[}}1, 1], [0, 1]]{{.*}} -> tensor<2x66x65x27xf32>
// CHECK: %[[Z:.*]] = stablehlo.transpose %[[P]], dims = [0, 1, 3, 2]
// CHECK: %[[A:.*]] = stablehlo.slice %[[Z]] [0:2, 0:66, 0:3, 0:65]
// CHECK: stablehlo.slice %[[A]] [0:2, 0:64, 0:3, 0:63]
// CHECK: %[[B:.*]] = stablehlo.slice %[[Z]] [0:2, 0:66, 15:18, 0:65]
// CHECK: stablehlo.slice %[[B]] [0:2, 1:65, 0:3, 2:65]
// CHECK: %[[C:.*]] = stablehlo.slice %[[Z]] [0:2, 0:66, 24:27, 0:65]
// CHECK: %[[D:.*]] = stablehlo.slice %[[C]] [0:2, 2:66, 0:3, 2:65]
// CHECK: %[[S:.*]] = stablehlo.add %{{.*}}, %[[D]]
// CHECK: stablehlo.transpose %[[S]], dims = [0, 1, 3, 2]
func.func @main(%x: tensor<2x64x64x64xf32>, %w: tensor<3x3x64x3xf32>) -> tensor<2x64x63x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x64x64x64xf32>, tensor<3x3x64x3xf32>) -> tensor<2x64x63x3xf32>
  return %0 : tensor<2x64x63x3xf32>
}

// -----

// The image's gradient of windows that are two apart: even rows see the middle one of three taps, odd
// rows the two others, and are interleaved. Columns, along the lanes, stay a window.
// CHECK-LABEL: @main(
// CHECK: %[[R:.*]] = stablehlo.reverse %arg1, dims = [0]
// CHECK: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 2, 0, 3]
// CHECK: %[[W:.*]] = stablehlo.reshape %[[T]] : (tensor<3x64x3x3xbf16>) -> tensor<1x3x64x9xbf16>
// CHECK: %[[P:.*]] = stablehlo.convolution(%arg0, %[[W]]) {{.*}} pad = {{\[\[}}0, 0], [1, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [false, true]{{.*}} -> tensor<8x56x112x9xf32>
// CHECK: %[[Z:.*]] = stablehlo.transpose %[[P]], dims = [0, 1, 3, 2]
// CHECK: %[[Q:.*]] = stablehlo.pad %[[Z]], {{.*}} low = [0, 0, 0, 0], high = [0, 1, 0, 0], interior = [0, 0, 0, 0]
// CHECK: %[[A:.*]] = stablehlo.slice %[[Q]] [0:8, 0:57, 3:6, 0:112]
// CHECK: %[[EVEN:.*]] = stablehlo.slice %[[A]] [0:8, 0:56, 0:3, 0:112]
// CHECK: %[[B:.*]] = stablehlo.slice %[[Q]] [0:8, 0:57, 0:3, 0:112]
// CHECK: %[[C:.*]] = stablehlo.slice %[[B]] [0:8, 0:56, 0:3, 0:112]
// CHECK: %[[D:.*]] = stablehlo.slice %[[Q]] [0:8, 0:57, 6:9, 0:112]
// CHECK: %[[E:.*]] = stablehlo.slice %[[D]] [0:8, 1:57, 0:3, 0:112]
// CHECK: %[[ODD:.*]] = stablehlo.add %[[C]], %[[E]]
// CHECK-DAG: %[[F:.*]] = stablehlo.reshape %[[EVEN]]
// CHECK-DAG: %[[G:.*]] = stablehlo.reshape %[[ODD]]
// CHECK: %[[I:.*]] = stablehlo.concatenate %[[F]], %[[G]], dim = 2
// CHECK: %[[J:.*]] = stablehlo.reshape %[[I]] : (tensor<8x56x2x3x112xf32>) -> tensor<8x112x3x112xf32>
// CHECK: %[[K:.*]] = stablehlo.convert %[[J]]
// CHECK: stablehlo.transpose %[[K]], dims = [0, 1, 3, 2]
func.func @main(%g: tensor<8x56x56x64xbf16>, %w: tensor<3x3x64x3xbf16>) -> tensor<8x112x112x3xbf16> {
  %0 = stablehlo.convolution(%g, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x56x56x64xbf16>, tensor<3x3x64x3xbf16>) -> tensor<8x112x112x3xbf16>
  return %0 : tensor<8x112x112x3xbf16>
}

// -----

// Of patches each row is one tap's, the last one first: the reversed window as it is.
// CHECK-LABEL: @main(
// CHECK-NOT: stablehlo.reverse
// CHECK: %[[P:.*]] = stablehlo.convolution({{.*}} -> tensor<4x14x224x48xf32>
// CHECK-NOT: stablehlo.slice
// CHECK: %[[Z:.*]] = stablehlo.transpose %[[P]], dims = [0, 1, 3, 2]
// CHECK: %[[R:.*]] = stablehlo.reshape %[[Z]] : (tensor<4x14x48x224xf32>) -> tensor<4x14x16x3x224xf32>
// CHECK: %[[S:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x14x16x3x224xf32>) -> tensor<4x224x3x224xf32>
// CHECK: stablehlo.transpose %[[S]], dims = [0, 1, 3, 2]
func.func @main(%g: tensor<4x14x14x768xf32>, %w: tensor<16x16x768x3xf32>) -> tensor<4x224x224x3xf32> {
  %0 = stablehlo.convolution(%g, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[15, 15], [15, 15]], lhs_dilate = [16, 16], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x14x14x768xf32>, tensor<16x16x768x3xf32>) -> tensor<4x224x224x3xf32>
  return %0 : tensor<4x224x224x3xf32>
}

// -----

// Features along the lanes stay there, and so does the gradient of a filter.
// CHECK-LABEL: @main(
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg1)
// CHECK-NEXT: stablehlo.convolution(%arg0, %arg2)
// CHECK-NEXT: return
func.func @main(%x: tensor<2x32x32x3xf32>, %w: tensor<3x3x3x64xf32>, %g: tensor<2x30x30x64xf32>) -> (tensor<2x30x30x64xf32>, tensor<3x3x3x64xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x32x3xf32>, tensor<3x3x3x64xf32>) -> tensor<2x30x30x64xf32>
  %1 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x32x3xf32>, tensor<2x30x30x64xf32>) -> tensor<3x3x3x64xf32>
  return %0, %1 : tensor<2x30x30x64xf32>, tensor<3x3x3x64xf32>
}

// -----

// Features that lie along the lanes are summed there, where a few of them are many products each: here those of the
// three columns of the window are side by side, and each slice has the columns that it sees.
// CHECK-LABEL: @main(
// CHECK: %[[T:.*]] = stablehlo.transpose %arg1, dims = [0, 2, 1, 3]
// CHECK: %[[W:.*]] = stablehlo.reshape %[[T]] : (tensor<3x256x3x16xf32>) -> tensor<3x1x256x48xf32>
// CHECK: %[[P:.*]] = stablehlo.convolution(%arg0, %[[W]]) {{.*}} pad = {{\[\[}}1, 1], [1, 1]]{{.*}} -> tensor<4x16x18x48xf32>
// CHECK: %[[A:.*]] = stablehlo.slice %[[P]] [0:4, 0:16, 0:16, 0:16]
// CHECK: %[[B:.*]] = stablehlo.slice %[[P]] [0:4, 0:16, 1:17, 16:32]
// CHECK: %[[S:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK: %[[C:.*]] = stablehlo.slice %[[P]] [0:4, 0:16, 2:18, 32:48]
// CHECK: stablehlo.add %[[S]], %[[C]]
func.func @main(%x: tensor<4x16x16x256xf32>, %w: tensor<3x3x256x16xf32>) -> tensor<4x16x16x16xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x16x16x256xf32>, tensor<3x3x256x16xf32>) -> tensor<4x16x16x16xf32>
  return %0 : tensor<4x16x16x16xf32>
}
