// RUN: systole-opt %s --systole-merge-fusions --remarks-filter=systole-merge-fusions -o /dev/null 2>&1 | FileCheck %s

// The array is read once, not twice.
func.func @siblings(%x: tensor<4096x256xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] OneKernel | Category:systole-merge-fusions | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %1 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %square = stablehlo.multiply %a, %a : tensor<4096x256xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}

func.func @products(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = kernel.fusion "dot" (%a = %x) : (tensor<128x128xf32>) -> tensor<128x128xf32> {
    %dot = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    kernel.fused %dot : tensor<128x128xf32>
  }
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] TwoKernels | Category:systole-merge-fusions | Reason="both have a product"
  %1 = kernel.fusion "dot" (%a = %0) : (tensor<128x128xf32>) -> tensor<128x128xf32> {
    %dot = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    kernel.fused %dot : tensor<128x128xf32>
  }
  return %1 : tensor<128x128xf32>
}
