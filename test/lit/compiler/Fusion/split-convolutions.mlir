// RUN: %systole-opt %s --systole-split-convolutions=vmem-bytes=4375000 --split-input-file | FileCheck %s

// Weights of 128 results take 72 x 300 x 512 bytes, 11 MB: three parts of the image's features,
// whose sums are kept in f32.
// CHECK-LABEL: @main(
// CHECK: %[[XA:.*]] = stablehlo.slice %arg0 [0:1, 0:6, 0:7, 0:128]
// CHECK: %[[WA:.*]] = stablehlo.slice %arg1 [0:8, 0:9, 0:128, 0:5]
// CHECK: %[[A:.*]] = stablehlo.convolution(%[[XA]], %[[WA]]) {{.*}}pad = {{\[\[}}4, 3], [4, 4]]{{.*}} -> tensor<1x6x7x5xf32>
// CHECK: stablehlo.slice %arg0 [0:1, 0:6, 0:7, 128:256]
// CHECK: %[[B:.*]] = stablehlo.convolution
// CHECK: %[[XC:.*]] = stablehlo.slice %arg0 [0:1, 0:6, 0:7, 256:300]
// CHECK: %[[WC:.*]] = stablehlo.slice %arg1 [0:8, 0:9, 256:300, 0:5]
// CHECK: %[[C:.*]] = stablehlo.convolution(%[[XC]], %[[WC]])
// CHECK: %[[AB:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK: %[[S:.*]] = stablehlo.add %[[AB]], %[[C]]
// CHECK: stablehlo.convert %[[S]] : (tensor<1x6x7x5xf32>) -> tensor<1x6x7x5xf16>
func.func @main(%x: tensor<1x6x7x300xf32>, %w: tensor<8x9x300x5xf32>) -> tensor<1x6x7x5xf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[4, 3], [4, 4]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x7x300xf32>, tensor<8x9x300x5xf32>) -> tensor<1x6x7x5xf16>
  return %0 : tensor<1x6x7x5xf16>
}

// -----

// 21 x 9 x 60 x 512 bytes of one row of lanes: rows of the window in two parts. It is reversed, so the
// first ten of its rows are the last ten of the kernel. Of the image, dilated by 3, the second
// part's first row sees element 0 at -9, so three elements are left out.
// CHECK-LABEL: @main(
// CHECK: %[[WA:.*]] = stablehlo.slice %arg1 [11:21, 0:9, 0:60, 0:4]
// CHECK: %[[A:.*]] = stablehlo.convolution(%arg0, %[[WA]]) {{.*}}pad = {{\[\[}}1, 1], [5, 6]], lhs_dilate = [3, 1], reverse = [true, false]{{.*}} -> tensor<1x21x9x4xf32>
// CHECK: %[[XB:.*]] = stablehlo.slice %arg0 [0:1, 3:10, 0:6, 0:60]
// CHECK: %[[WB:.*]] = stablehlo.slice %arg1 [0:11, 0:9, 0:60, 0:4]
// CHECK: %[[B:.*]] = stablehlo.convolution(%[[XB]], %[[WB]]) {{.*}}pad = {{\[\[}}0, 12], [5, 6]]
// CHECK: stablehlo.add %[[A]], %[[B]]
func.func @main(%x: tensor<1x10x6x60xf32>, %w: tensor<21x9x60x4xf32>) -> tensor<1x21x9x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 12], [5, 6]], lhs_dilate = [3, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x10x6x60xf32>, tensor<21x9x60x4xf32>) -> tensor<1x21x9x4xf32>
  return %0 : tensor<1x21x9x4xf32>
}

// -----

// Four groups of 128 features and 256 results, 13 MB in all: as few parts as divide them.
// CHECK-LABEL: @main(
// CHECK: stablehlo.slice %arg0 [0:8, 0:14, 0:14, 0:128]
// CHECK: stablehlo.slice %arg1 [0:5, 0:5, 0:128, 0:256]
// CHECK: %[[A:.*]] = stablehlo.convolution{{.*}} feature_group_count = 1 : i64{{.*}} -> tensor<8x14x14x256xbf16>
// CHECK: %[[D:.*]] = stablehlo.slice %arg1 [0:5, 0:5, 0:128, 768:1024]
// CHECK: stablehlo.convolution(%{{.*}}, %[[D]])
// CHECK: stablehlo.concatenate %[[A]], {{.*}} dim = 3
func.func @main(%x: tensor<8x14x14x512xf32>, %w: tensor<5x5x128x1024xf32>) -> tensor<8x14x14x1024xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [2, 2]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<8x14x14x512xf32>, tensor<5x5x128x1024xf32>) -> tensor<8x14x14x1024xbf16>
  return %0 : tensor<8x14x14x1024xbf16>
}

// -----

// Weights of 128 of 1,000 results are what matters: 3 x 3 x 512 stay.
// CHECK-LABEL: @main(
// CHECK-NOT: stablehlo.slice
// CHECK: stablehlo.convolution
func.func @main(%x: tensor<1x6x7x512xf32>, %w: tensor<3x3x512x1000xf32>) -> tensor<1x4x5x1000xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x7x512xf32>, tensor<3x3x512x1000xf32>) -> tensor<1x4x5x1000xf32>
  return %0 : tensor<1x4x5x1000xf32>
}

// -----

// In bf16 256 results are the least that is cut: with a folded copy of 40 of 128 lanes, 7 MB. A kernel
// whose inputs are its last dimension, in two parts of its rows.
// CHECK-LABEL: @main(
// CHECK: %[[A:.*]] = stablehlo.slice %arg1 [0:2, 0:3, 0:5, 0:500, 0:40]
// CHECK: %[[P:.*]] = stablehlo.convolution(%{{.*}}, %[[A]]) {{.*}} -> tensor<2x6x4x4x500xf32>
// CHECK: %[[B:.*]] = stablehlo.slice %arg1 [2:5, 0:3, 0:5, 0:500, 0:40]
// CHECK: %[[Q:.*]] = stablehlo.convolution(%{{.*}}, %[[B]]) {{.*}} -> tensor<2x6x4x4x500xf32>
// CHECK: stablehlo.add %[[P]], %[[Q]]
func.func @main(%x: tensor<2x6x4x4x40xbf16>, %w: tensor<5x3x5x500x40xbf16>) -> tensor<2x6x4x4x500xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, o, i]->[b, 0, 1, 2, f], window = {pad = [[4, 4], [1, 1], [2, 2]], rhs_dilate = [2, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x4x4x40xbf16>, tensor<5x3x5x500x40xbf16>) -> tensor<2x6x4x4x500xbf16>
  return %0 : tensor<2x6x4x4x500xbf16>
}

// -----

// A filter's gradient without a grid in so little memory, sums of 8 x 8 x 128 rows: eight places of the window in two parts. The second
// sees the image from element 2 on.
// CHECK-LABEL: @main(
// CHECK: %[[A:.*]] = stablehlo.convolution(%arg0, %arg1) {{.*}}stride = [2, 1], pad = {{\[\[}}6, 1], [0, 0]]{{.*}} -> tensor<4x8x130x72xf32>
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:3, 2:10, 0:9, 0:72]
// CHECK: %[[B:.*]] = stablehlo.convolution(%[[X]], %arg1) {{.*}}pad = {{\[\[}}0, 9], [0, 0]]{{.*}} -> tensor<4x8x130x72xf32>
// CHECK: stablehlo.concatenate %[[A]], %[[B]], dim = 0
func.func @main(%x: tensor<3x10x9x72xf32>, %g: tensor<3x11x2x130xf32>) -> tensor<8x8x130x72xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {stride = [2, 1], pad = [[6, 9], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x10x9x72xf32>, tensor<3x11x2x130xf32>) -> tensor<8x8x130x72xf32>
  return %0 : tensor<8x8x130x72xf32>
}

// -----

// Of groups all operands are needed at once, 10 MB: one by one.
// CHECK-LABEL: @main(
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:78, 0:7, 0:3, 0:130]
// CHECK: %[[G:.*]] = stablehlo.slice %arg1 [0:78, 0:3, 0:2, 0:130]
// CHECK: %[[A:.*]] = stablehlo.convolution(%[[X]], %[[G]]) {{.*}} feature_group_count = 1 : i64{{.*}} -> tensor<5x2x130x130xf32>
// CHECK: stablehlo.slice %arg0 [312:390, 0:7, 0:3, 0:130]
// CHECK: stablehlo.slice %arg1 [0:78, 0:3, 0:2, 520:650]
// CHECK: stablehlo.concatenate %[[A]], {{.*}} dim = 2
func.func @main(%x: tensor<390x7x3x130xf32>, %g: tensor<78x3x2x650xf32>) -> tensor<5x2x650x130xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<390x7x3x130xf32>, tensor<78x3x2x650xf32>) -> tensor<5x2x650x130xf32>
  return %0 : tensor<5x2x650x130xf32>
}
