// RUN: systole-opt %s --systole-plan-fusions="vmem-bytes=327680" --systole-explain-fusions="vmem-bytes=327680" --remarks-filter=systole-explain-fusions -o /dev/null 2>&1 | FileCheck %s

// Kernels with 320 KiB for blocks. The exponentials and the sums have no axis in common, so one kernel of both holds
// the array, its exponentials (256 KiB each) and the sums (a vector register of 4 KiB) at once.
func.func @normalized(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<512x128xf32>) -> tensor<512x128xf32> {
    %exp = stablehlo.exponential %a : tensor<512x128xf32>
    kernel.fused %exp : tensor<512x128xf32>
  }
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] TwoKernels | Category:systole-explain-fusions | Reason="both have no plan: the smallest blocks take 528,384 bytes of VMEM, of which there are 327,680"
  %1 = kernel.fusion "reduce" (%a = %0) : (tensor<512x128xf32>) -> tensor<128xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x128xf32>, tensor<f32>) -> tensor<128xf32>
    kernel.fused %sum : tensor<128xf32>
  }
  // The sums come between the exponentials and this kernel.
  // CHECK: [[@LINE+2]]:8: remark: {{.}}Missed] TwoKernels | Category:systole-explain-fusions | Reason="neither can run where the other one does"
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] TwoKernels | Category:systole-explain-fusions | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %2 = kernel.fusion "loop" (%a = %0, %s = %1) : (tensor<512x128xf32>, tensor<128xf32>) -> tensor<512x128xf32> {
    %all = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<128xf32>) -> tensor<512x128xf32>
    %share = stablehlo.divide %a, %all : tensor<512x128xf32>
    kernel.fused %share : tensor<512x128xf32>
  }
  return %2 : tensor<512x128xf32>
}
