// RUN: %systole-opt %s --systole-mark-single-pass --systole-round-operands | FileCheck %s
// RUN: %systole-opt %s --systole-pipeline="to=kernel target=v3" | FileCheck %s --check-prefix=KERNEL

// What a kernel computes for products of one pass is rounded beside what computes it, once for all.
// Arguments are not, nor what products of more passes read, nor arrays of which two begin in one
// row of 512 bytes.
// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = stablehlo.tanh %arg0
// CHECK-NEXT: %[[B:.*]] = stablehlo.convert %[[T]] : (tensor<1024x512xf32>) -> tensor<1024x512xbf16>
// CHECK: stablehlo.dot_general %[[B]], %arg1, {{.*}}(tensor<1024x512xbf16>, tensor<512x512xf32>) -> tensor<1024x512xf32>
// CHECK: stablehlo.dot_general %[[B]], %arg2
// CHECK: stablehlo.dot_general %[[T]], %arg2, {{.*}}precision = [HIGHEST, HIGHEST]
// CHECK: %[[ODD:.*]] = stablehlo.tanh %arg3
// CHECK-NOT: stablehlo.convert
// CHECK: stablehlo.dot_general %[[ODD]], %arg4

// A product whose kernel rounds its operand reads it as it is.
// KERNEL: kernel.func @tanh_dot_fusion
// KERNEL-NOT: bf16
// KERNEL: kernel.dot {{.*}} : <{{[0-9x]+}}xf32, vmem>, <{{[0-9x]+}}xf32, vmem>,
func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x512xf32>, %v: tensor<512x512xf32>, %y: tensor<3x5x100xf32>, %z: tensor<3x100x128xf32>)
    -> (tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<3x5x128xf32>) {
  %0 = stablehlo.tanh %x : tensor<1024x512xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32>
  %2 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32>
  %3 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32>
  %4 = stablehlo.tanh %y : tensor<3x5x100xf32>
  %5 = stablehlo.dot_general %4, %z, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x100xf32>, tensor<3x100x128xf32>) -> tensor<3x5x128xf32>
  return %1, %2, %3, %5 : tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<1024x512xf32>, tensor<3x5x128xf32>
}
