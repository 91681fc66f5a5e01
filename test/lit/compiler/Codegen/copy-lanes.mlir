// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v3" | FileCheck %s

// 128 rows of 3,000 lanes a step, one behind the other: every 16 rows come back to the same lanes,
// and eight of those are one vector. What is left is 16 x 23 rotations: no loops of 23.
// CHECK: scf.for {{.*}} to %c16_i32
// CHECK-NOT: scf.for
// CHECK: core.xlu.rotate
// CHECK-NOT: scf.for
// CHECK: return
func.func @main(%x: tensor<2000x3000xf32>) -> tensor<6000000xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 384000>]>}
      : (tensor<2000x3000xf32>) -> tensor<6000000xf32> {
    %1 = stablehlo.reshape %a : (tensor<2000x3000xf32>) -> tensor<6000000xf32>
    kernel.fused %1 : tensor<6000000xf32>
  }
  return %0 : tensor<6000000xf32>
}
