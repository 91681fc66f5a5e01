// RUN: %systole-opt %s --systole-expand-reduce-window --split-input-file --verify-diagnostics | FileCheck %s

// A small window is read element by element, the last dimension first; the constant that the
// body does not see needs no combination, and is what pads.
// CHECK-LABEL: @taps
// CHECK-SAME: %[[X:.*]]: tensor<4x5xf32>
// CHECK: %[[INF:.*]] = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK: %[[P:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [0, 0], high = [0, 1], interior = [0, 0] : {{.*}} -> tensor<4x6xf32>
// CHECK: %[[A:.*]] = stablehlo.slice %[[P]] [0:4, 0:5:2]
// CHECK: %[[B:.*]] = stablehlo.slice %[[P]] [0:4, 1:6:2]
// CHECK: %[[R:.*]] = stablehlo.maximum %[[A]], %[[B]] : tensor<4x3xf32>
// CHECK: %[[C:.*]] = stablehlo.slice %[[R]] [0:3:2, 0:3]
// CHECK: %[[D:.*]] = stablehlo.slice %[[R]] [1:4:2, 0:3]
// CHECK: %[[M:.*]] = stablehlo.maximum %[[C]], %[[D]] : tensor<2x3xf32>
// CHECK: return %[[M]]
func.func @taps(%x: tensor<4x5xf32>) -> tensor<2x3xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %none) <{padding = dense<[[0, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A cumulative sum of 100 elements: each with the one 1, 2, 4, ... 64 before it. Zero is combined at the end:
// the identity is -0.
// CHECK-LABEL: @cumulative
// CHECK: stablehlo.constant dense<-0.000000e+00>
// CHECK: %[[BEFORE:.*]] = stablehlo.slice %arg0 [0:99]
// CHECK: %[[SHIFTED:.*]] = stablehlo.pad %[[BEFORE]], {{.*}}, low = [1], high = [0]
// CHECK: stablehlo.add %[[SHIFTED]], %arg0
// CHECK: stablehlo.pad {{.*}}, low = [64], high = [0]
// CHECK-COUNT-2: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: return
func.func @cumulative(%x: tensor<100xf32>) -> tensor<100xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[99, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// -----

// From the last element on, and longer than a row of lanes: blocks of 128, then the sums of blocks, and those
// of the ones behind added to each.
// CHECK-LABEL: @reversed
// CHECK: stablehlo.pad %arg0, {{.*}}, low = [56], high = [0]
// CHECK: stablehlo.reshape {{.*}} -> tensor<2x128xf32>
// CHECK: stablehlo.slice {{.*}} [0:2, 1:128]
// CHECK: stablehlo.pad {{.*}}, low = [0, 0], high = [0, 1]
// CHECK: %[[SUMS:.*]] = stablehlo.slice {{.*}} [0:2, 0:1]
// CHECK: stablehlo.reshape %[[SUMS]] : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [0] : (tensor<2xf32>) -> tensor<2x128xf32>
// CHECK: stablehlo.slice {{.*}} [56:256]
func.func @reversed(%x: tensor<200xf32>) -> tensor<200xf32> {
  %zero = stablehlo.constant dense<-0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 199]]> : tensor<1x2xi64>, window_dimensions = array<i64: 200>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<200xf32>, tensor<f32>) -> tensor<200xf32>
  return %r : tensor<200xf32>
}

// -----

// A single large window is reduced, with the initial value.
// CHECK-LABEL: @whole
// CHECK-SAME: %[[X:.*]]: tensor<3x40xi32>, %[[S:.*]]: tensor<i32>
// CHECK: %[[P:.*]] = stablehlo.slice %[[X]] [0:3, 0:39:2]
// CHECK: %[[R:.*]] = stablehlo.reduce(%[[P]] init: %[[S]]) applies stablehlo.add across dimensions = [1] : (tensor<3x20xi32>, tensor<i32>) -> tensor<3xi32>
// CHECK: %[[Q:.*]] = stablehlo.reshape %[[R]]
// CHECK: return %[[Q]]
func.func @whole(%x: tensor<3x40xi32>, %start: tensor<i32>) -> tensor<3x1xi32> {
  %r = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 1, 20>, window_strides = array<i64: 1, 2>, window_dilations = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x40xi32>, tensor<i32>) -> tensor<3x1xi32>
  return %r : tensor<3x1xi32>
}

// -----

func.func @body(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %r = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{operation 'stablehlo.iota' is not supported in the body of 'stablehlo.reduce_window'}}
    %i = stablehlo.iota dim = 0 : tensor<4xf32>
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
