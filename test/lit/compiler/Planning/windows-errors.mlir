// RUN: %systole-opt %s --systole-assign-access --systole-plan-fusions --systole-form-kernels --split-input-file --verify-diagnostics

// A window is read in HBM; what this kernel computes is in VMEM.
func.func @main(%x: tensor<4000x128xf32>, %i: tensor<i32>) -> tensor<1x128xf32> {
  %r = kernel.fusion "loop" (%a = %x, %j = %i) : (tensor<4000x128xf32>, tensor<i32>) -> tensor<1x128xf32> {
    %y = stablehlo.negate %a : tensor<4000x128xf32>
    // expected-error @+1 {{expects operand #0, of which it copies windows, to be in HBM}}
    %0 = stablehlo.dynamic_slice %y, %j, %j, sizes = [1, 128] : (tensor<4000x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    kernel.fused %0 : tensor<1x128xf32>
  }
  return %r : tensor<1x128xf32>
}

// -----

func.func @main(%x: tensor<4000x128xf32>, %u: tensor<1x128xf32>, %i: tensor<i32>) -> tensor<4000x128xf32> {
  %r = kernel.fusion "loop" (%a = %x, %v = %u, %j = %i) : (tensor<4000x128xf32>, tensor<1x128xf32>, tensor<i32>) -> tensor<4000x128xf32> {
    // expected-error @+1 {{expects its result, which stays in HBM, to leave the kernel once}}
    %y = stablehlo.dynamic_update_slice %a, %v, %j, %j : (tensor<4000x128xf32>, tensor<1x128xf32>, tensor<i32>, tensor<i32>) -> tensor<4000x128xf32>
    %0 = stablehlo.negate %y : tensor<4000x128xf32>
    kernel.fused %0 : tensor<4000x128xf32>
  }
  return %r : tensor<4000x128xf32>
}
