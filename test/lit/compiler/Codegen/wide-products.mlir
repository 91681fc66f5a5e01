// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v6e" --split-input-file | FileCheck %s

// An MXU latches four tiles of 128 x 128 (64 groups of eight rows) and gives two sums of 128 products
// for each of two blocks of columns, which are added in order.
// CHECK-LABEL: func.func private @{{.*}}
// CHECK-COUNT-64: core.mxu.latch {{.*}} {mxu = 0 : i32}
// CHECK-NOT: core.mxu.latch
// CHECK: core.mxu.push.wide {{.*}} {columns = 2 : i32, depths = 2 : i32, mxu = 0 : i32}
// CHECK: %[[S0:.*]] = core.mxu.pop{{.*}}{mxu = 0 : i32}
// CHECK: %[[S1:.*]] = core.mxu.pop{{.*}}{mxu = 0 : i32}
// CHECK: core.v.fadd %[[S0]], %[[S1]]
func.func @main(%a: tensor<8x256xf32>, %b: tensor<256x1024xf32>) -> tensor<8x1024xf32> {
  %0 = kernel.fusion "dot" (%x = %a, %w = %b) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 256>]>}
      : (tensor<8x256xf32>, tensor<256x1024xf32>) -> tensor<8x1024xf32> {
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x256xf32>, tensor<256x1024xf32>) -> tensor<8x1024xf32>
    kernel.fused %1 : tensor<8x1024xf32>
  }
  return %0 : tensor<8x1024xf32>
}

// -----

// One tile is multiplied as on other machines.
// CHECK-NOT: core.mxu.push.wide
// CHECK: core.mxu.push %{{.*}} {mxu = 0 : i32}
func.func @main(%a: tensor<8x100xf32>, %b: tensor<100x90xf32>) -> tensor<8x90xf32> {
  %0 = kernel.fusion "dot" (%x = %a, %w = %b) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<8x100xf32>, tensor<100x90xf32>) -> tensor<8x90xf32> {
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x100xf32>, tensor<100x90xf32>) -> tensor<8x90xf32>
    kernel.fused %1 : tensor<8x90xf32>
  }
  return %0 : tensor<8x90xf32>
}
