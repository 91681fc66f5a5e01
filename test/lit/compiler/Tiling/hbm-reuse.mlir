// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// A donated argument and the result that is computed over it are one buffer.
// CHECK-LABEL: func.func @main()
// CHECK: %[[IN:.*]] = kernel.hbm 0 :
// CHECK: %[[OUT:.*]] = kernel.hbm 0 :
// CHECK: kernel.call @{{[^ (]+}}(%[[IN]], %[[OUT]])
// CHECK-NOT: copy
func.func @main(%x: tensor<300x200xf32> {jax.buffer_donor = true}) -> tensor<300x200xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<300x200xf32>) -> tensor<300x200xf32> {
    %1 = stablehlo.tanh %a : tensor<300x200xf32>
    kernel.fused %1 : tensor<300x200xf32>
  }
  return %0 : tensor<300x200xf32>
}

// -----

// Not if it is read later.
// CHECK-LABEL: func.func @main()
// CHECK: %[[IN:.*]] = kernel.hbm 0 :
// CHECK: %[[OUT:.*]] = kernel.hbm 1 :
// CHECK: kernel.call @{{[^ (]+}}(%[[IN]], %[[OUT]])
// CHECK: kernel.hbm 0 :
// CHECK: kernel.call
func.func @main(%x: tensor<300x128xf32> {jax.buffer_donor = true}) -> (tensor<300x128xf32>, tensor<128x300xf32>) {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<300x128xf32>) -> tensor<300x128xf32> {
    %2 = stablehlo.tanh %a : tensor<300x128xf32>
    kernel.fused %2 : tensor<300x128xf32>
  }
  %1 = kernel.fusion "copy" (%a = %x) : (tensor<300x128xf32>) -> tensor<128x300xf32> {
    %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<300x128xf32>) -> tensor<128x300xf32>
    kernel.fused %2 : tensor<128x300xf32>
  }
  return %0, %1 : tensor<300x128xf32>, tensor<128x300xf32>
}

// -----

// Arguments that are exchanged stay where they are: result 0 is argument 1, and result 1 argument 0.
// CHECK-LABEL: func.func @main()
// CHECK-NOT: kernel.call
// CHECK: return
func.func @main(%x: tensor<300x200xf32> {jax.buffer_donor = true}, %y: tensor<300x200xf32> {jax.buffer_donor = true})
    -> (tensor<300x200xf32>, tensor<300x200xf32>) {
  return %y, %x : tensor<300x200xf32>, tensor<300x200xf32>
}

// -----

// An array that nothing reads any more holds the next one.
// CHECK-LABEL: func.func @main()
// CHECK: kernel.hbm 0 :
// CHECK: kernel.hbm [[T:[0-9]+]] :
// CHECK: kernel.call @sine
// CHECK: kernel.hbm [[T]] :
// CHECK: kernel.hbm [[T]] :
// CHECK: kernel.call @tanh
// CHECK: kernel.hbm [[T]] :
// CHECK: kernel.hbm 1 :
// CHECK: kernel.call @transpose
func.func @main(%x: tensor<300x128xf32>) -> tensor<128x300xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<300x128xf32>) -> tensor<300x128xf32> {
    %3 = stablehlo.sine %a : tensor<300x128xf32>
    kernel.fused %3 : tensor<300x128xf32>
  }
  %1 = kernel.fusion "loop" (%a = %0) : (tensor<300x128xf32>) -> tensor<300x128xf32> {
    %3 = stablehlo.tanh %a : tensor<300x128xf32>
    kernel.fused %3 : tensor<300x128xf32>
  }
  %2 = kernel.fusion "copy" (%a = %1) : (tensor<300x128xf32>) -> tensor<128x300xf32> {
    %3 = stablehlo.transpose %a, dims = [1, 0] : (tensor<300x128xf32>) -> tensor<128x300xf32>
    kernel.fused %3 : tensor<128x300xf32>
  }
  return %2 : tensor<128x300xf32>
}
