// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Rows and columns of one array, which its kernel cuts in two ways.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}}
// CHECK-SAME: !kernel.buffer<2000x50xf32, hbm> #kernel.operand<in, block = [256, 50], map = (d0, d1) -> (d1, 0)>
// CHECK-SAME: !kernel.buffer<2000x50xf32, hbm> #kernel.operand<in, block = [512, 50], map = (d0, d1) -> (d0, 0)>
func.func @main(%x: tensor<2000x50xf32>) -> tensor<2000x2000xf32> {
  %0 = kernel.fusion "dot" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 512>, <value 1 dim 0 by 256>]>}
      : (tensor<2000x50xf32>) -> tensor<2000x2000xf32> {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<2000x50xf32>, tensor<2000x50xf32>) -> tensor<2000x2000xf32>
    kernel.fused %1 : tensor<2000x2000xf32>
  }
  return %0 : tensor<2000x2000xf32>
}

// -----

// Differences of all pairs: what lies along the lanes of one operand enumerates the rows of
// the other.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = {{[0-9]+}})
// CHECK-SAME: #kernel.operand<in, block = [128], map = (d0) -> (d0)>
// CHECK-SAME: #kernel.operand<in, block = [4000], map = (d0) -> (0)>
func.func @main(%x: tensor<4000xf32>) -> tensor<4000x4000xf32> {
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 3 dim 0 by 128>]>}
      : (tensor<4000xf32>) -> tensor<4000x4000xf32> {
    %1 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4000xf32>) -> tensor<4000x4000xf32>
    %2 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4000xf32>) -> tensor<4000x4000xf32>
    %3 = stablehlo.subtract %1, %2 : tensor<4000x4000xf32>
    kernel.fused %3 : tensor<4000x4000xf32>
  }
  return %0 : tensor<4000x4000xf32>
}

// -----

// Of three readers two share their blocks.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = 13)
// CHECK-SAME: !kernel.buffer<1600x1600xf32, hbm> #kernel.operand<in, block = [128, 1600], map = (d0) -> (d0, 0)>
// CHECK-SAME: !kernel.buffer<1600x1600xf32, hbm> #kernel.operand<in, block = [1600, 128], map = (d0) -> (0, d0)>
// CHECK-NOT: #kernel.operand<in
// CHECK-SAME: #kernel.operand<out, block = [128, 1600], map = (d0) -> (d0, 0)>
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 128>]>}
      : (tensor<1600x1600xf32>) -> tensor<1600x1600xf32> {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1600x1600xf32>) -> tensor<1600x1600xf32>
    %2 = stablehlo.clamp %a, %1, %a : tensor<1600x1600xf32>
    kernel.fused %2 : tensor<1600x1600xf32>
  }
  return %0 : tensor<1600x1600xf32>
}
