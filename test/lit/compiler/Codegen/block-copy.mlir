// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v3" | FileCheck %s

// The second block of the columns has one group of lanes instead of two: each is one DMA of 200
// pieces, instead of 200 of two each.
// CHECK: core.dma.start {{.*}}<hbm to vmem, chunk = 25600
// CHECK: core.dma.start {{.*}}<hbm to vmem, chunk = 128 by counts = [200], src_strides = [384], dst_strides = [256]>
// CHECK-NOT: counts = [2]
func.func @main(%a: tensor<100x200xf32>, %b: tensor<200x300xf32>) -> tensor<100x300xf32> {
  %0 = kernel.fusion "dot" (%x = %a, %w = %b) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 256>]>}
      : (tensor<100x200xf32>, tensor<200x300xf32>) -> tensor<100x300xf32> {
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<100x200xf32>, tensor<200x300xf32>) -> tensor<100x300xf32>
    kernel.fused %1 : tensor<100x300xf32>
  }
  return %0 : tensor<100x300xf32>
}
