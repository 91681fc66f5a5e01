// RUN: %systole-opt %s --systole-simplify --cse | FileCheck %s

// An operation that is recomputed behind a barrier is kept, and so are two barriers of the same operands.
// CHECK-LABEL: @again
// CHECK: %[[A:.*]] = stablehlo.tanh %arg0
// CHECK: %[[X:.*]]:2 = stablehlo.optimization_barrier %arg0, %[[A]]
// CHECK: %[[B:.*]] = stablehlo.tanh %[[X]]#0
// CHECK: %[[Y:.*]]:2 = stablehlo.optimization_barrier %arg0, %[[A]]
// CHECK: %[[C:.*]] = stablehlo.tanh %[[Y]]#0
// CHECK: return %[[X]]#1, %[[B]], %[[C]]
func.func @again(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier %x, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = stablehlo.tanh %1#0 : tensor<4xf32>
  %3:2 = stablehlo.optimization_barrier %x, %0 : tensor<4xf32>, tensor<4xf32>
  %4 = stablehlo.tanh %3#0 : tensor<4xf32>
  return %1#1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
