// RUN: %systole-opt %s --systole-fuse='target=v3' | FileCheck %s
// RUN: systole-opt %s --systole-fuse='target=v3' --remarks-filter=systole-fuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Heads of 64 features lie side by side in rows of 768, so that no block of the relayout has a part of them. With it
// in the product's kernel, sums of the product's rows would need rows of all heads in VMEM: it becomes a kernel of its
// own, and the sums join the product.
// CHECK-LABEL: @heads
// CHECK: %[[HEADS:.*]] = kernel.fusion "loop"
// CHECK: stablehlo.transpose
// CHECK: kernel.fused %{{.*}} : tensor<4x12x64x1024xbf16>
// CHECK: kernel.fusion "dot" ({{.*}}%[[HEADS]]{{.*}})
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.reduce
// CHECK: kernel.fused %{{.*}} : tensor<4x12x1024x1024xf32>
// CHECK-NOT: kernel.fusion
// CHECK: return
// REMARK: {{.}}Passed] LeavePrologue | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, PrologueCycles={{[0-9]+}}
func.func @heads(%x: tensor<4096x768xf32>, %v: tensor<4x12x1024x64xbf16>, %e: tensor<4x12x1024x1024xf32>)
    -> tensor<4x12x1024x1024xf32> {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<4096x768xf32>) -> tensor<4x1024x12x64xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 3, 1] : (tensor<4x1024x12x64xf32>) -> tensor<4x12x64x1024xf32>
  %2 = stablehlo.convert %1 : (tensor<4x12x64x1024xf32>) -> tensor<4x12x64x1024xbf16>
  %3 = stablehlo.dot_general %v, %2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] {kernel.single_pass}
      : (tensor<4x12x1024x64xbf16>, tensor<4x12x64x1024xbf16>) -> tensor<4x12x1024x1024xf32>
  %4 = stablehlo.multiply %3, %e : tensor<4x12x1024x1024xf32>
  %5 = stablehlo.reduce(%4 init: %none) applies stablehlo.add across dimensions = [2] {kernel.order = #kernel.order<rows = [], tree = 2>}
      : (tensor<4x12x1024x1024xf32>, tensor<f32>) -> tensor<4x12x1024xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 3] : (tensor<4x12x1024xf32>) -> tensor<4x12x1024x1024xf32>
  %7 = stablehlo.subtract %3, %6 : tensor<4x12x1024x1024xf32>
  %8 = stablehlo.multiply %7, %e : tensor<4x12x1024x1024xf32>
  return %8 : tensor<4x12x1024x1024xf32>
}
