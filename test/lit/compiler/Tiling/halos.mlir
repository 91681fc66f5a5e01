// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Windows of three rows of what the kernel computes: a step computes ten rows for its eight from ten of the argument,
// and puts zeros where there are none. They are padded along the columns as a copy.
// CHECK-LABEL: @main
// CHECK: kernel.func @{{[^ (]+}} grid (%[[STEP:.*]] = 3) (%[[X:.*]] : !kernel.buffer<1x24x16x8xf32, hbm> #kernel.operand<in, block = [1, 10, 16, 8], map = (d0) -> (0, d0, 0, 0), stride = [1, 8, 16, 8], offset = [0, -1, 0, 0]>
// CHECK-DAG: %[[FIRST:.*]] = arith.muli %[[STEP]],
// CHECK-DAG: %[[EXP:.*]] = kernel.alloc : <1x10x16x8xf32, vmem>
// CHECK: kernel.map ins(%[[X]] : {{.*}}) outs(%[[EXP]] : {{.*}})
// CHECK-NEXT: ^bb0(%[[ELEMENT:.*]]: tensor<f32>):
// CHECK: %[[VALUE:.*]] = stablehlo.exponential %[[ELEMENT]]
// CHECK: kernel.index 1
// CHECK: kernel.scalar %[[FIRST]]
// CHECK: stablehlo.constant dense<1>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.constant dense<25>
// CHECK: stablehlo.compare LT
// CHECK: stablehlo.select %{{.*}}, %[[VALUE]], %{{.*}}
// CHECK: %[[PADDED:.*]] = kernel.alloc : <1x10x18x8xf32, vmem>
// CHECK: kernel.copy %[[EXP]] to %[[PADDED]] sizes = [1, 10, 16, 8]
// CHECK-NOT: stablehlo.select
// CHECK: kernel.contract
func.func @main(%x: tensor<1x24x16x8xf32>, %w: tensor<3x3x8x8xf32>) -> tensor<1x24x16x8xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 3 dim 1 by 8>]>}
      : (tensor<1x24x16x8xf32>, tensor<3x3x8x8xf32>) -> tensor<1x24x16x8xf32> {
    %1 = stablehlo.exponential %a : tensor<1x24x16x8xf32>
    %2 = stablehlo.convolution(%1, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x24x16x8xf32>, tensor<3x3x8x8xf32>) -> tensor<1x24x16x8xf32>
    kernel.fused %2 : tensor<1x24x16x8xf32>
  }
  return %0 : tensor<1x24x16x8xf32>
}

// -----

// What leaves the kernel beside that is a part of it, and expressions read it where it is.
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[THREE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + 3, d2, d3)>
// CHECK-LABEL: @main
// CHECK: kernel.func
// CHECK-SAME: %[[OUT:[a-z0-9]*]] : !kernel.buffer<1x24x16x8xf32, hbm> #kernel.operand<out, block = [1, 8, 16, 8], map = (d0) -> (0, d0, 0, 0)>
// CHECK: %[[EXP:.*]] = kernel.alloc : <1x11x16x8xf32, vmem>
// CHECK: kernel.copy %[[EXP]] to %{{.*}} sizes = [1, 8, 16, 8] from #[[THREE]] into #[[NONE]]
// CHECK: kernel.map ins(%[[EXP]], %{{.*}} maps = [#[[NONE]], #[[NONE]]]
// CHECK: kernel.copy %[[EXP]] to %[[OUT]] sizes = [1, 8, 16, 8] from #[[NONE]] into #[[NONE]]
func.func @main(%x: tensor<1x24x16x8xf32>) -> (tensor<1x24x16x8xf32>, tensor<1x24x16x8xf32>) {
  %0:2 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 6 dim 1 by 8>]>}
      : (tensor<1x24x16x8xf32>) -> (tensor<1x24x16x8xf32>, tensor<1x24x16x8xf32>) {
    %1 = stablehlo.exponential %a : tensor<1x24x16x8xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.pad %1, %zero, low = [0, 0, 0, 0], high = [0, 3, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x24x16x8xf32>, tensor<f32>) -> tensor<1x27x16x8xf32>
    %3 = stablehlo.slice %2 [0:1, 3:27, 0:16, 0:8] : (tensor<1x27x16x8xf32>) -> tensor<1x24x16x8xf32>
    %4 = stablehlo.add %1, %3 : tensor<1x24x16x8xf32>
    %5 = stablehlo.negate %4 : tensor<1x24x16x8xf32>
    kernel.fused %1, %5 : tensor<1x24x16x8xf32>, tensor<1x24x16x8xf32>
  }
  return %0#0, %0#1 : tensor<1x24x16x8xf32>, tensor<1x24x16x8xf32>
}

// -----

// Slices that overlap share a block.
// CHECK-LABEL: @main
// CHECK: kernel.func
// CHECK-SAME: #kernel.operand<in, block = [9, 128], map = (d0) -> (d0, 0), stride = [8, 128], offset = [0, 0]>
// CHECK-NOT: #kernel.operand<in
// CHECK-SAME: #kernel.operand<out, block = [8, 128]
func.func @main(%x: tensor<33x128xf32>) -> tensor<32x128xf32> {
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 3 dim 0 by 8>]>}
      : (tensor<33x128xf32>) -> tensor<32x128xf32> {
    %1 = stablehlo.slice %a [0:32, 0:128] : (tensor<33x128xf32>) -> tensor<32x128xf32>
    %2 = stablehlo.slice %a [1:33, 0:128] : (tensor<33x128xf32>) -> tensor<32x128xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<32x128xf32>
    kernel.fused %3 : tensor<32x128xf32>
  }
  return %0 : tensor<32x128xf32>
}
