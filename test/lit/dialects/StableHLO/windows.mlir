// Sliding windows: reductions and selections.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @reduce_window(
func.func @reduce_window(%x: tensor<2x8x3xf32>, %i: tensor<2x8x3xi32>, %s: tensor<f32>, %n: tensor<i32>, %b: tensor<2x8x3xbf16>) {
  // CHECK: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{window_dimensions = array<i64: 1, 2, 1>}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
  // CHECK-NEXT: %[[R:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<f32>
  // CHECK-NEXT: stablehlo.return %[[R]] : tensor<f32>
  // CHECK-NEXT: }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x7x3xf32>
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %r = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x7x3xf32>
  // CHECK: <{base_dilations = array<i64: 1, 2, 1>, padding = dense<{{\[\[}}0, 0], [1, -2], [0, 3]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 2>, window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 4, 1>}> ({
  // CHECK: }) {x = 1 : i8} : (tensor<2x8x3xf32>, tensor<2x8x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  %1:2 = "stablehlo.reduce_window"(%x, %i, %s, %n) <{window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 4, 1>, base_dilations = array<i64: 1, 2, 1>, window_dilations = array<i64: 1, 1, 2>, padding = dense<[[0, 0], [1, -2], [0, 3]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %j: tensor<i32>, %c: tensor<f32>, %k: tensor<i32>):
    stablehlo.return %a, %k : tensor<f32>, tensor<i32>
  }) {x = 1 : i8} : (tensor<2x8x3xf32>, tensor<2x8x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xi32>)
  // A window that is too large has no place; narrow elements are combined as wider ones.
  // CHECK: }) : (tensor<2x8x3xbf16>, tensor<f32>) -> tensor<2x0x3xf32>
  %2 = "stablehlo.reduce_window"(%b, %s) <{window_dimensions = array<i64: 1, 9, 1>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xbf16>, tensor<f32>) -> tensor<2x0x3xf32>
  return
}

// CHECK-LABEL: func.func @select_and_scatter(
func.func @select_and_scatter(%x: tensor<9x9xi32>, %g: tensor<4x9xi32>, %s: tensor<i32>) {
  // CHECK: "stablehlo.select_and_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{padding = dense<{{\[\[}}0, -1], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
  // CHECK-NEXT: ^bb0(
  // CHECK-NEXT: %[[P:.*]] = stablehlo.compare GE
  // CHECK-NEXT: stablehlo.return %[[P]] : tensor<i1>
  // CHECK-NEXT: }, {
  // CHECK-NEXT: ^bb0(
  // CHECK-NEXT: stablehlo.add
  // CHECK: }) : (tensor<9x9xi32>, tensor<4x9xi32>, tensor<i32>) -> tensor<9x9xi32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{padding = dense<[[0, -1], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<9x9xi32>, tensor<4x9xi32>, tensor<i32>) -> tensor<9x9xi32>
  return
}
