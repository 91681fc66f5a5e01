// RUN: systole-opt %s | systole-opt | FileCheck %s

// Two cores exchange their blocks, and keep their own.
// CHECK-LABEL: @gather
// CHECK: kernel.exchange %{{.*}} blocks 1 to 2 steps [#kernel.step<0, forwards = false, sources = [0, 0], targets = [0, 1], places = [0, 1]>, #kernel.step<0, forwards = false, sources = [0, 0], targets = [1, 0], places = [0, 1]>] of "all_gather" : (tensor<8x128xf32>) -> tensor<16x128xf32>
func.func @gather(%x: tensor<8x128xf32>) -> tensor<16x128xf32> {
  %0 = kernel.exchange %x blocks 1 to 2 steps [
      #kernel.step<0, forwards = false, sources = [0, 0], targets = [0, 1], places = [0, 1]>,
      #kernel.step<0, forwards = false, sources = [0, 0], targets = [1, 0], places = [0, 1]>] of "all_gather"
      : (tensor<8x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}

// Core 0's block passes core 1 on its way to core 2.
// CHECK-LABEL: @forward
// CHECK: #kernel.step<1, forwards = true, sources = [0, 0, 0], targets = [-1, 2, -1], places = [0, 0, 0]>
func.func @forward(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = kernel.exchange %x blocks 1 to 1 steps [
      #kernel.step<0, forwards = false, sources = [0, 0, 0], targets = [1, -1, -1], places = [0, 0, 0]>,
      #kernel.step<1, forwards = true, sources = [0, 0, 0], targets = [-1, 2, -1], places = [0, 0, 0]>]
      : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// CHECK-LABEL: @number
// CHECK: kernel.core_number : tensor<ui32>
func.func @number() -> tensor<ui32> {
  %0 = kernel.core_number : tensor<ui32>
  return %0 : tensor<ui32>
}
