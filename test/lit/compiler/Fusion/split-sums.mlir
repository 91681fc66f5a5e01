// RUN: %systole-opt %s --systole-split-sums | FileCheck %s

// The images of a batch are the tree of this sum: its rows are added up for each of them first. The
// initial value is that of the second sum. -0 and any number is that number.
// CHECK-LABEL: @batch
// CHECK: %[[INIT:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
// CHECK: %[[ROWS:.*]] = stablehlo.reduce(%arg0 init: %[[NONE]]) applies stablehlo.add across dimensions = [1] {kernel.order = #kernel.order<rows = [1]>} : {{.*}} -> tensor<8x768xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[ROWS]] init: %[[INIT]]) applies stablehlo.add across dimensions = [0] {kernel.order = #kernel.order<rows = [], tree = 0>} : {{.*}} -> tensor<768xf32>
// CHECK: return %[[SUM]]
func.func @batch(%x: tensor<8x128x768xf32>) -> tensor<768xf32> {
  %init = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1], tree = 0>} : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  return %0 : tensor<768xf32>
}

// Where the tree comes behind rows, and dimensions of one element are reduced as well.
// CHECK-LABEL: @behind
// CHECK: stablehlo.reduce(%arg0 init: %{{.*}}) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1]>} : {{.*}} -> tensor<8x128xf32>
// CHECK: across dimensions = [0] {kernel.order = #kernel.order<rows = [], tree = 0>} : {{.*}} -> tensor<128xf32>
func.func @behind(%x: tensor<1x16x8x128xf32>) -> tensor<128xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [1], tree = 2>} : (tensor<1x16x8x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// Sums without a tree or with one along the lanes, in chunks, or of few rows stay.
// CHECK-LABEL: @others
// CHECK-COUNT-4: stablehlo.reduce(
// CHECK-NOT: stablehlo.reduce(
func.func @others(%x: tensor<8x128x768xf32>, %y: tensor<8x4x128xf32>) -> (tensor<8x768xf32>, tensor<768xf32>, tensor<128xf32>, tensor<f32>) {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] {kernel.order = #kernel.order<rows = [1]>} : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<8x768xf32>
  %1 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1], tree = 0, chunked = [0], chunk = [4]>} : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<768xf32>
  %2 = stablehlo.reduce(%y init: %init) applies stablehlo.add across dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1], tree = 0>} : (tensor<8x4x128xf32>, tensor<f32>) -> tensor<128xf32>
  %3 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [0, 1], tree = 2>} : (tensor<8x128x768xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<8x768xf32>, tensor<768xf32>, tensor<128xf32>, tensor<f32>
}
