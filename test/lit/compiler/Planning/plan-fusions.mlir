// RUN: %systole-opt %s --systole-plan-fusions --split-input-file | FileCheck %s
// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s --check-prefix=KERNEL

// A fusion without a plan gets one: 8 MiB are too much for one step.
// CHECK-LABEL: func.func @main
// CHECK: kernel.fusion "loop"
// CHECK-SAME: plan = #kernel.plan<axes = [<value 1 dim 0 by {{[0-9]+}}>], buffers = [2, 2], estimate = {{[1-9][0-9]*}}>
func.func @main(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<4096x512xf32>) -> tensor<4096x512xf32> {
    %1 = stablehlo.negate %a : tensor<4096x512xf32>
    kernel.fused %1 : tensor<4096x512xf32>
  }
  return %0 : tensor<4096x512xf32>
}

// -----

// A forced plan is kept, and the kernel follows it: lanes outermost, and one buffer of the result.
// CHECK-LABEL: func.func @main
// CHECK: plan = #kernel.plan<axes = [<value 2 dim 1 by 128>, <value 2 dim 0 by 64>], buffers = [2, 2, 1]>
// KERNEL-LABEL: kernel.func @add
// KERNEL-SAME: grid (%{{.*}} = 4, %{{.*}} = 4)
// KERNEL-SAME: <256x512xf32, hbm> #kernel.operand<in, block = [64, 128], map = (d0, d1) -> (d1, d0)>
// KERNEL-SAME: <256x512xf32, hbm> #kernel.operand<out, block = [64, 128], map = (d0, d1) -> (d1, d0), buffers = 1>
func.func @main(%x: tensor<256x512xf32>, %y: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = kernel.fusion "loop" (%a = %x, %b = %y)
      attributes {plan = #kernel.plan<axes = [<value 2 dim 1 by 128>, <value 2 dim 0 by 64>], buffers = [2, 2, 1]>}
      : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32> {
    %1 = stablehlo.add %a, %b : tensor<256x512xf32>
    kernel.fused %1 : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

// A product by rows: its right operand is the same in every step.
// CHECK-LABEL: func.func @main
// CHECK: plan = #kernel.plan<axes = [<value 0 dim 0 by 32>]>
// KERNEL-LABEL: kernel.func @dot
// KERNEL-SAME: grid (%{{.*}} = 8)
// KERNEL-SAME: block = [32, 128], map = (d0) -> (d0, 0)>
// KERNEL-SAME: block = [128, 128], map = (d0) -> (0, 0)>
// KERNEL-SAME: #kernel.operand<out, block = [32, 128], map = (d0) -> (d0, 0)>
func.func @main(%x: tensor<256x128xf32>, %w: tensor<128x128xf32>) -> tensor<256x128xf32> {
  %0 = kernel.fusion "dot" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 0 dim 0 by 32>]>}
      : (tensor<256x128xf32>, tensor<128x128xf32>) -> tensor<256x128xf32> {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x128xf32>, tensor<128x128xf32>) -> tensor<256x128xf32>
    kernel.fused %1 : tensor<256x128xf32>
  }
  return %0 : tensor<256x128xf32>
}
