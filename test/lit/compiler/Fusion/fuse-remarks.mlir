// RUN: systole-opt %s --systole-fuse --remarks-filter=systole-fuse -o /dev/null 2>&1 | FileCheck %s

// The tangent of a product joins it: the array between them never leaves VMEM.
func.func @epilogue(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %1 = stablehlo.tanh %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}
