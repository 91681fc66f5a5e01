// RUN: %systole-opt %s --systole-assign-access --systole-plan-fusions --systole-form-kernels | FileCheck %s

// Slabs of 5 MB in parts: each step copies its part of all of them. The last one, which is shorter,
// is read from where a whole one fits.
// CHECK: kernel.func @{{[^ (]+}} grid (%[[STEP:.*]] = 14) (%[[X:.*]] : !kernel.buffer<16x1200001xf32, hbm> #kernel.operand<raw, {{.*}}#kernel.operand<out, block = [3, 85760], map = (d0) -> (0, d0)>
// CHECK: %[[BOXES:.*]] = kernel.alloc : <3x1x86528xf32, vmem>
// CHECK: kernel.overlap
// CHECK: %[[SLAB:.*]] = arith.minsi %{{.*}}, %c15
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %c85760
// CHECK: %[[PART:.*]] = arith.addi %{{.*}}, %[[FIRST]]
// CHECK: %[[AT:.*]] = arith.minsi %[[PART]], %c1114240
// CHECK: %[[START:.*]] = arith.shli
// CHECK: kernel.copy %[[X]] at[%[[SLAB]], %[[START]]] to %[[BOXES]] at[{{.*}}] sizes = [1, 85888]
// CHECK: kernel.copy %[[BOXES]] at[{{.*}}] to %{{.*}} at[{{.*}}] sizes = [85760]
func.func @main(%x: tensor<16x1200001xf32>, %i: tensor<3x1xi32>) -> tensor<3x1200001xf32> {
  %0 = kernel.fusion "copy" (%a = %x, %b = %i) attributes {plan = #kernel.plan<axes = [<value 2 dim 1 by 85760>]>}
      : (tensor<16x1200001xf32>, tensor<3x1xi32>) -> tensor<3x1200001xf32> {
    %1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1200001>}> : (tensor<16x1200001xf32>, tensor<3x1xi32>) -> tensor<3x1200001xf32>
    kernel.fused %1 : tensor<3x1200001xf32>
  }
  return %0 : tensor<3x1200001xf32>
}
