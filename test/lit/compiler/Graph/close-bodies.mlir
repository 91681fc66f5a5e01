// Constants that reducers capture are copied into them.
// RUN: %systole-opt %s --systole-close-bodies | FileCheck %s

// CHECK-LABEL: @reducer
// CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>)
// CHECK: %[[C:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK: %[[S:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK: stablehlo.maximum %[[S]], %[[C]]
func.func @reducer(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %one) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.add %a, %b : tensor<f32>
    %m = stablehlo.maximum %s, %one : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }
  return %r : tensor<4xf32>
}

// Regions of control flow may capture values.
// CHECK-LABEL: @branches
// CHECK: stablehlo.constant
// CHECK: stablehlo.if
// CHECK-NOT: stablehlo.constant
func.func @branches(%p: tensor<i1>) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %one : tensor<f32>
  }, {
    %n = stablehlo.negate %one : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
}
