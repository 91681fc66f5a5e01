// RUN: systole-opt %s --systole-fuse --remarks-filter=systole-fuse -o /dev/null 2>&1 | FileCheck %s

// The tangent of a product joins it: the array between them never leaves VMEM.
func.func @epilogue(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %1 = stablehlo.tanh %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// Elementwise work on the results of elementwise work joins without a question. It is asked for other
// operands, and for narrow results, which restrict the tiles.
func.func @chain(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xbf16> {
  %0 = stablehlo.add %x, %y : tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %1 = stablehlo.tanh %0 : tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | Reason="its operands are in registers"
  %2 = stablehlo.multiply %1, %1 : tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %3 = stablehlo.add %2, %y : tensor<256x256xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Passed] Join | Category:systole-fuse | OneKernelCycles={{[0-9]+}}, TwoKernelsCycles={{[0-9]+}}
  %4 = stablehlo.convert %3 : (tensor<256x256xf32>) -> tensor<256x256xbf16>
  return %4 : tensor<256x256xbf16>
}

// A sum over all rows is there when the last step has run: what each row needs of it is another kernel.
func.func @no_plan(%x: tensor<64x128x1024xf32>) -> tensor<64x128x1024xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x128x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<1024xf32>) -> tensor<64x128x1024xf32>
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] NewKernel | Category:systole-fuse | Reason="both have no plan: sums that are done in chunks have no axis in common", TwoKernelsCycles={{[0-9]+}}
  %2 = stablehlo.subtract %x, %1 : tensor<64x128x1024xf32>
  return %2 : tensor<64x128x1024xf32>
}
