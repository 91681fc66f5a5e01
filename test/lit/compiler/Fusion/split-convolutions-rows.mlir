// RUN: %systole-opt %s --systole-split-convolutions | FileCheck %s

// The gradient of a filter for an image of 83 x 83 x 512 bytes: no chunk of several rows divides it, so that the last
// rows have a sum of their own. Each part has the rows that it sees, and what pads them.
// CHECK-LABEL: @main(
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:1, 0:[[N:[0-9]+]], 0:83, 0:64]
// CHECK: %[[G:.*]] = stablehlo.slice %arg1 [0:1, 0:[[M:[0-9]+]], 0:83, 0:8]
// CHECK: %[[A:.*]] = stablehlo.convolution(%[[X]], %[[G]]) {{.*}}pad = {{\[\[}}1, 0], [1, 1]]
// CHECK: %[[R:.*]] = stablehlo.slice %arg0 [0:1, [[O:[0-9]+]]:83, 0:83, 0:64]
// CHECK: %[[S:.*]] = stablehlo.slice %arg1 [0:1, [[M]]:83, 0:83, 0:8]
// CHECK: %[[B:.*]] = stablehlo.convolution(%[[R]], %[[S]]) {{.*}}pad = {{\[\[}}0, 1], [1, 1]]
// CHECK: stablehlo.add %[[A]], %[[B]]
func.func @main(%x: tensor<1x83x83x64xf32>, %g: tensor<1x83x83x8xf32>) -> tensor<3x3x8x64xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x83x83x64xf32>, tensor<1x83x83x8xf32>) -> tensor<3x3x8x64xf32>
  return %0 : tensor<3x3x8x64xf32>
}

// Chunks that divide the rows need no second sum, whatever they take.
// CHECK-LABEL: @divided(
// CHECK-COUNT-1: stablehlo.convolution
// CHECK-NOT: stablehlo.convolution
func.func @divided(%x: tensor<8x80x80x256xbf16>, %g: tensor<8x80x80x640xbf16>) -> tensor<3x3x640x256xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x80x80x256xbf16>, tensor<8x80x80x640xbf16>) -> tensor<3x3x640x256xf32>
  return %0 : tensor<3x3x640x256xf32>
}
