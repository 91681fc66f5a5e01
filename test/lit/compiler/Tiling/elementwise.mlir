// RUN: %systole-opt %s --systole-form-kernels | FileCheck %s

// Operations of several results stand in the body in the order in which their results are read.
// CHECK: kernel.map
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<ui32>, %[[B:.*]]: tensor<ui32>):
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.add %[[A]], %[[B]] : tensor<ui32>
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1> : tensor<ui32>
// CHECK-NEXT: %[[NEXT:.*]] = stablehlo.add %[[SUM]], %[[ONE]] : tensor<ui32>
// CHECK-NEXT: %[[XOR:.*]] = stablehlo.xor %[[NEXT]], %[[SUM]] : tensor<ui32>
// CHECK-NEXT: kernel.yield %[[XOR]]
func.func @main(%a: tensor<64x128xui32>, %b: tensor<64x128xui32>) -> tensor<64x128xui32> {
  %0 = kernel.fusion "loop" (%x = %a, %y = %b)
      attributes {plan = #kernel.plan<axes = [], buffers = [1, 1, 1], estimate = 1000>}
      : (tensor<64x128xui32>, tensor<64x128xui32>) -> tensor<64x128xui32> {
    %1:2 = kernel.elementwise(%x, %y) : (tensor<64x128xui32>, tensor<64x128xui32>)
        -> (tensor<64x128xui32>, tensor<64x128xui32>) {
    ^bb0(%p: tensor<ui32>, %q: tensor<ui32>):
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %sum = stablehlo.add %p, %q : tensor<ui32>
      %next = stablehlo.add %sum, %one : tensor<ui32>
      kernel.yield %sum, %next : tensor<ui32>, tensor<ui32>
    }
    %2 = stablehlo.xor %1#1, %1#0 : tensor<64x128xui32>
    kernel.fused %2 : tensor<64x128xui32>
  }
  return %0 : tensor<64x128xui32>
}
