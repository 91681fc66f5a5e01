// RUN: %systole-opt %s --systole-fuse | FileCheck %s

// Blocks of whole rows are the same under every shape that fills its rows: two of the eight images,
// of which each has 768 rows of 128 elements, are 256 of the 1,024 columns. So one kernel normalizes
// and transposes.
// CHECK-LABEL: @main
// CHECK: kernel.fusion "reduce" {{.*}}axes = [<value {{[0-9]+}} dim 0 by {{[24]}}>]{{.*}} -> (tensor<8x128x768xf32>, tensor<768x1024xbf16>)
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @main(%x: tensor<8x128x768xf32>) -> (tensor<8x128x768xf32>, tensor<768x1024xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] {kernel.order = #kernel.order<rows = [], tree = 2>} : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x128xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x768xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<8x128x768xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<8x128x768xf32>) -> tensor<768x8x128xf32>
  %4 = stablehlo.reshape %3 : (tensor<768x8x128xf32>) -> tensor<768x1024xf32>
  %5 = stablehlo.convert %4 : (tensor<768x1024xf32>) -> tensor<768x1024xbf16>
  return %2, %5 : tensor<8x128x768xf32>, tensor<768x1024xbf16>
}
