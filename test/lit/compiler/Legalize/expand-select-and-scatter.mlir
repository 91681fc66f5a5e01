// RUN: %systole-opt %s --systole-expand-select-and-scatter --split-input-file --verify-diagnostics | FileCheck %s

// Windows of 2 that meet: both taps are in the operand for all windows, so nothing is masked; what
// goes to a tap has as many zeros in between as the window moves.
// CHECK-LABEL: @pairs
// CHECK-SAME: %[[X:.*]]: tensor<6xf32>, %[[G:.*]]: tensor<3xf32>
// CHECK: %[[A:.*]] = stablehlo.slice %[[X]] [0:5:2]
// CHECK: %[[B:.*]] = stablehlo.slice %[[X]] [1:6:2]
// CHECK: %[[KEEP:.*]] = stablehlo.compare GE, %[[A]], %[[B]]
// CHECK: %[[REPLACE:.*]] = stablehlo.not %[[KEEP]]
// CHECK: %[[CHOSEN:.*]] = stablehlo.select %[[REPLACE]], %{{.*}}, %{{.*}} : tensor<3xi1>, tensor<3xi32>
// CHECK: %[[FIRST:.*]] = stablehlo.compare EQ, %[[CHOSEN]]
// CHECK: %[[TO:.*]] = stablehlo.select %[[FIRST]], %[[G]]
// CHECK: stablehlo.pad %[[TO]], %{{.*}}, low = [0], high = [1], interior = [1]
// CHECK: stablehlo.add
// CHECK: stablehlo.pad %{{.*}}, low = [1], high = [0], interior = [1]
// CHECK: stablehlo.add
// CHECK-NOT: stablehlo.add
func.func @pairs(%x: tensor<6xf32>, %g: tensor<3xf32>, %zero: tensor<f32>) -> tensor<6xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// Padding is never selected: window 0 begins at its second tap, and the tap that only padding
// shows to all windows is left out.
// CHECK-LABEL: @padded
// CHECK: stablehlo.pad %{{.*}}, low = [1], high = [4]
// CHECK: stablehlo.slice %{{.*}} [0:3:2]
// CHECK: stablehlo.iota dim = 0 : tensor<2xi32>
// CHECK: stablehlo.compare GE, %{{.*}} : (tensor<2xi32>, tensor<2xi32>)
// CHECK: stablehlo.slice %{{.*}} [1:4:2]
// CHECK: stablehlo.slice %{{.*}} [2:5:2]
// CHECK: stablehlo.compare LT, %{{.*}} : (tensor<2xi32>, tensor<2xi32>)
// CHECK: stablehlo.slice %{{.*}} [3:6:2]
// CHECK-NOT: stablehlo.slice
// CHECK: return
func.func @padded(%x: tensor<3xi32>, %g: tensor<2xi32>, %zero: tensor<i32>) -> tensor<3xi32> {
  %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{padding = dense<[[1, 4]]> : tensor<1x2xi64>, window_dimensions = array<i64: 5>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// -----

// Windows of 3 rows, 2 apart: even rows are one array and odd rows another. Windows show rows 0 and
// 1 of the even ones and row 0 of the odd ones, and what they send arrives there; even and odd rows
// in turn are the result.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[X:.*]]: tensor<7x128xf32>, %[[G:.*]]: tensor<3x128xf32>
// CHECK: %[[EVEN:.*]] = stablehlo.slice %[[X]] [0:7:2, 0:128]
// CHECK: stablehlo.slice %[[EVEN]] [0:3, 0:128]
// CHECK: %[[ODD:.*]] = stablehlo.slice %[[X]] [1:7:2, 0:128]
// CHECK: stablehlo.slice %[[EVEN]] [1:4, 0:128]
// CHECK: stablehlo.pad %{{.*}}, low = [0, 0], high = [1, 0], interior = [0, 0]
// CHECK: %[[FIRST:.*]] = stablehlo.add
// CHECK: stablehlo.pad %{{.*}}, low = [1, 0], high = [0, 0], interior = [0, 0]
// CHECK: %[[TOEVEN:.*]] = stablehlo.add %[[FIRST]]
// CHECK: stablehlo.pad %{{.*}}, low = [0, 0], high = [1, 0], interior = [0, 0]
// CHECK: %[[TOODD:.*]] = stablehlo.add
// CHECK: stablehlo.reshape %[[TOEVEN]] : (tensor<4x128xf32>) -> tensor<4x1x128xf32>
// CHECK: stablehlo.reshape %[[TOODD]]
// CHECK: stablehlo.concatenate {{.*}}dim = 1 : (tensor<4x1x128xf32>, tensor<4x1x128xf32>) -> tensor<4x2x128xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<4x2x128xf32>) -> tensor<8x128xf32>
// CHECK: stablehlo.slice %{{.*}} [0:7, 0:128]
func.func @rows(%x: tensor<7x128xf32>, %g: tensor<3x128xf32>, %zero: tensor<f32>) -> tensor<7x128xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<7x128xf32>, tensor<3x128xf32>, tensor<f32>) -> tensor<7x128xf32>
  return %r : tensor<7x128xf32>
}

// -----

// Of bf16 two rows share a cell: each phase of an image has an even number of rows, 3 or 4 of which
// are seen.
// CHECK-LABEL: @narrow
// CHECK: %[[X:.*]] = stablehlo.pad %arg0, %{{.*}}, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<2x7x128xbf16>, tensor<bf16>) -> tensor<2x8x128xbf16>
// CHECK: stablehlo.slice %[[X]] [0:2, 0:8:2, 0:128] : (tensor<2x8x128xbf16>) -> tensor<2x4x128xbf16>
// CHECK: stablehlo.slice %[[X]] [0:2, 1:8:2, 0:128] : (tensor<2x8x128xbf16>) -> tensor<2x4x128xbf16>
func.func @narrow(%x: tensor<2x7x128xbf16>, %g: tensor<2x3x128xbf16>, %zero: tensor<bf16>) -> tensor<2x7x128xbf16> {
  %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %p = stablehlo.compare GE, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<2x7x128xbf16>, tensor<2x3x128xbf16>, tensor<bf16>) -> tensor<2x7x128xbf16>
  return %r : tensor<2x7x128xbf16>
}
