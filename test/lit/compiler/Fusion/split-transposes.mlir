// RUN: %systole-opt %s --systole-split-transposes=most-dimensions=2 --split-input-file | FileCheck %s

// Three dimensions reversed: the last one comes first, then the two others are exchanged.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = stablehlo.reshape %arg0 : (tensor<3x5x7xf32>) -> tensor<1x15x7x1xf32>
// CHECK: %[[B:.*]] = stablehlo.transpose %[[A]], dims = [0, 2, 1, 3] : (tensor<1x15x7x1xf32>) -> tensor<1x7x15x1xf32>
// CHECK: %[[C:.*]] = stablehlo.reshape %[[B]] : (tensor<1x7x15x1xf32>) -> tensor<7x3x5x1xf32>
// CHECK: %[[D:.*]] = stablehlo.transpose %[[C]], dims = [0, 2, 1, 3] : (tensor<7x3x5x1xf32>) -> tensor<7x5x3x1xf32>
// CHECK: stablehlo.reshape %[[D]] : (tensor<7x5x3x1xf32>) -> tensor<7x5x3xf32>
func.func @main(%x: tensor<3x5x7xf32>) -> tensor<7x5x3xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<3x5x7xf32>) -> tensor<7x5x3xf32>
  return %0 : tensor<7x5x3xf32>
}

// -----

// Dimensions that stay together are one, also around one of size 1: there are two, which stay.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.transpose %arg0, dims = [3, 0, 1, 2]
// CHECK-NOT: stablehlo.reshape
func.func @main(%x: tensor<3x1x5x7xf32>) -> tensor<7x3x1x5xf32> {
  %0 = stablehlo.transpose %x, dims = [3, 0, 1, 2] : (tensor<3x1x5x7xf32>) -> tensor<7x3x1x5xf32>
  return %0 : tensor<7x3x1x5xf32>
}
