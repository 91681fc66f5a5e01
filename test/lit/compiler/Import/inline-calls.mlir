// Calls disappear, in order and at any depth; a shared callee is copied. A composite is a
// call of its decomposition, whatever regions it has beside that.
// RUN: %systole-opt %s --systole-inline-calls | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = stablehlo.tanh %[[X]]
// CHECK: %[[B:.*]] = stablehlo.negate %[[A]]
// CHECK: %[[C:.*]] = stablehlo.tanh %[[B]]
// CHECK: %[[D:.*]] = stablehlo.tanh %[[C]]
// CHECK: return %[[D]]
// CHECK-NOT: func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "my.tanh" %1 ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {decomposition = @inner} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
