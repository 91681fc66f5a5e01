// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v3" | FileCheck %s

// Of three products with few rows, each MXU computes one at a time; the third is computed alone.
// CHECK-COUNT-16: core.mxu.latch {{.*}} {mxu = 1 : i32}
// CHECK: core.mxu.swap {{.*}} {mxu = 0 : i32}
// CHECK: core.mxu.swap {{.*}} {mxu = 1 : i32}
// CHECK: core.mxu.push {{.*}} {mxu = 0 : i32}
// CHECK: core.mxu.push {{.*}} {mxu = 1 : i32}
// CHECK-NOT: {mxu = 1 : i32} : (i32, i32)
// CHECK: core.mxu.swap {{.*}} {mxu = 0 : i32}
// CHECK: core.mxu.push {{.*}} {mxu = 0 : i32}
// CHECK-NOT: core.mxu.push
func.func @main(%a: tensor<3x8x128xf32>, %b: tensor<3x128x128xf32>) -> tensor<3x8x128xf32> {
  %0 = kernel.fusion "dot" (%x = %a, %w = %b) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<3x8x128xf32>, tensor<3x128x128xf32>) -> tensor<3x8x128xf32> {
    %1 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x8x128xf32>, tensor<3x128x128xf32>) -> tensor<3x8x128xf32>
    kernel.fused %1 : tensor<3x8x128xf32>
  }
  return %0 : tensor<3x8x128xf32>
}
