// RUN: %systole-opt %s --systole-pipeline="to=kernel" --split-input-file | FileCheck %s

// Kernels are named after what they compute; from the second one of a name on they are numbered.
// CHECK: kernel.call @dot_add_maximum_fusion(
// CHECK: kernel.call @dot_add_maximum_fusion.1(
// CHECK: kernel.func @dot_add_maximum_fusion grid
// CHECK: kernel.func @dot_add_maximum_fusion.1 grid
func.func @main(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>, %v: tensor<64x64xf32>) -> tensor<16x64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<16x64xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<16x64xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.add %0, %bias : tensor<16x64xf32>
  %2 = stablehlo.maximum %1, %zero : tensor<16x64xf32>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %4 = stablehlo.add %3, %bias : tensor<16x64xf32>
  %5 = stablehlo.maximum %4, %zero : tensor<16x64xf32>
  return %5 : tensor<16x64xf32>
}

// -----

// A reduction says what it makes of two elements; of many operations the last ones are named.
// CHECK: kernel.func @reduce_maximum_exponential_divide_fusion grid
func.func @main(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x100xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x100xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x100xf32>
  %3 = stablehlo.exponential %2 : tensor<64x100xf32>
  %4 = stablehlo.divide %3, %1 : tensor<64x100xf32>
  return %4 : tensor<64x100xf32>
}

// -----

// One operation is no fusion, and constants and conversions do not count.
// CHECK: kernel.func @tanh grid
func.func @main(%x: tensor<64x100xf32>) -> tensor<64x100xbf16> {
  %0 = stablehlo.tanh %x : tensor<64x100xf32>
  %1 = stablehlo.convert %0 : (tensor<64x100xf32>) -> tensor<64x100xbf16>
  return %1 : tensor<64x100xbf16>
}
