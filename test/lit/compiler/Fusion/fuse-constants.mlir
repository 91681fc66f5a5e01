// RUN: %systole-opt %s --systole-fuse | FileCheck %s

// Each kernel has its own copy of a constant, so that it does not leave a kernel that others read it
// beside: in steps of 256 columns, VMEM has room for all arrays of the first kernel, but not for that
// of the constant.
// CHECK-LABEL: @main
// CHECK: kernel.fusion "dot" {{.*}} -> (tensor<3072xf32>, tensor<1024x3072xbf16>)
// CHECK: kernel.fusion "loop"
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @main(%g: tensor<1024x768xbf16>, %w: tensor<3072x768xf32>, %a: tensor<8x128x3072xf32>, %b: tensor<8x128x3072xf32>, %c: tensor<8x128x3072xf32>, %d: tensor<8x128x3072xf32>)
    -> (tensor<3072xf32>, tensor<1024x3072xbf16>, tensor<8x128x3072xf32>) {
  %half = stablehlo.constant dense<5.0e-01> : tensor<8x128x3072xf32>
  %0 = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] {kernel.single_pass} : (tensor<1024x768xbf16>, tensor<3072x768xf32>) -> tensor<1024x3072xf32>
  %1 = stablehlo.reshape %0 : (tensor<1024x3072xf32>) -> tensor<8x128x3072xf32>
  %2 = stablehlo.multiply %a, %1 : tensor<8x128x3072xf32>
  %3 = stablehlo.multiply %1, %b : tensor<8x128x3072xf32>
  %4 = stablehlo.multiply %half, %2 : tensor<8x128x3072xf32>
  %5 = stablehlo.multiply %4, %c : tensor<8x128x3072xf32>
  %6 = stablehlo.add %5, %3 : tensor<8x128x3072xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1], tree = 0>} : (tensor<8x128x3072xf32>, tensor<f32>) -> tensor<3072xf32>
  %8 = stablehlo.reshape %6 : (tensor<8x128x3072xf32>) -> tensor<1024x3072xf32>
  %9 = stablehlo.convert %8 : (tensor<1024x3072xf32>) -> tensor<1024x3072xbf16>
  %10 = stablehlo.multiply %half, %d : tensor<8x128x3072xf32>
  return %7, %9, %10 : tensor<3072xf32>, tensor<1024x3072xbf16>, tensor<8x128x3072xf32>
}
