// RUN: %systole-opt %s --systole-split-convolutions | FileCheck %s

// The gradient of a filter for 37 images of 20 x 21 x 512 bytes: no chunk of whole images divides them but one image,
// so the last ones, a window of the arrays, have a sum of their own.
// CHECK-LABEL: @main(
// CHECK: %[[X:.*]] = stablehlo.slice %arg0 [0:[[N:[0-9]+]], 0:20, 0:21, 0:64]
// CHECK: %[[G:.*]] = stablehlo.slice %arg1 [0:[[N]], 0:20, 0:21, 0:8]
// CHECK: %[[A:.*]] = stablehlo.convolution(%[[X]], %[[G]])
// CHECK: %[[R:.*]] = stablehlo.dynamic_slice %arg0, {{.*}} -> tensor<[[M:[0-9]+]]x20x21x64xf32>
// CHECK: %[[S:.*]] = stablehlo.dynamic_slice %arg1, {{.*}} -> tensor<[[M]]x20x21x8xf32>
// CHECK: %[[B:.*]] = stablehlo.convolution(%[[R]], %[[S]])
// CHECK: stablehlo.add %[[A]], %[[B]]
func.func @main(%x: tensor<37x20x21x64xf32>, %g: tensor<37x20x21x8xf32>) -> tensor<3x3x8x64xf32> {
  %0 = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, f, b], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<37x20x21x64xf32>, tensor<37x20x21x8xf32>) -> tensor<3x3x8x64xf32>
  return %0 : tensor<3x3x8x64xf32>
}
