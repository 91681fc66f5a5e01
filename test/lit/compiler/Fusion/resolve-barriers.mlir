// RUN: %systole-opt %s --systole-resolve-barriers | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[X:.*]] = kernel.reinterpret %arg0 : tensor<8xf32> to tensor<8xf32>
// CHECK-NEXT: kernel.fusion "loop" (%{{.*}} = %[[X]])
// CHECK-NOT: optimization_barrier
func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<8xf32>, tensor<4xf32>
  %1 = kernel.fusion "loop" (%a = %0#0) : (tensor<8xf32>) -> tensor<8xf32> {
    %2 = stablehlo.negate %a : tensor<8xf32>
    kernel.fused %2 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
