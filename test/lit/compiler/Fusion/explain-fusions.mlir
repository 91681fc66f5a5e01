// RUN: systole-opt %s --systole-plan-fusions --systole-explain-fusions --remarks-filter=systole-explain-fusions -o /dev/null --split-input-file 2>&1 | FileCheck %s

// Of 4 rows of 512 bytes that are read, and as many that are written, 10 elements of 4 bytes are no
// padding: 2 * 4 * (512 - 40) bytes are.
func.func @padded(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Analysis] Plan | Category:systole-explain-fusions | Cycles={{[0-9]+}}, MovedBytes=4096, MovedPadding=3776, Steps=1
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<4x10xf32>) -> tensor<4x10xf32> {
    %exp = stablehlo.exponential %a : tensor<4x10xf32>
    kernel.fused %exp : tensor<4x10xf32>
  }
  return %0 : tensor<4x10xf32>
}

// -----

// Each of 4 * 4 steps copies three blocks of 64 * 128 * 4 bytes. One step takes fewer cycles.
func.func @forced(%x: tensor<256x512xf32>, %y: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // CHECK: [[@LINE+2]]:8: remark: {{.}}Analysis] Plan | Category:systole-explain-fusions | Cycles={{[0-9]+}}, MovedBytes=1572864, MovedPadding=0, Steps=16
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] Alternative | Category:systole-explain-fusions | Cycles={{[0-9]+}}, Steps=1{{$}}
  %0 = kernel.fusion "loop" (%a = %x, %b = %y)
      attributes {plan = #kernel.plan<axes = [<value 2 dim 1 by 128>, <value 2 dim 0 by 64>], buffers = [2, 2, 2]>}
      : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32> {
    %sum = stablehlo.add %a, %b : tensor<256x512xf32>
    kernel.fused %sum : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

// The left operand is the same in the 4 steps along the columns, which are the inner ones, and the right one
// comes again for each of 2 blocks of rows: 256 * 512 + 2 * 512 * 512 + 256 * 512 elements of 4 bytes.
func.func @again(%x: tensor<256x512xf32>, %y: tensor<512x512xf32>) -> tensor<256x512xf32> {
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Analysis] Plan | Category:systole-explain-fusions | Cycles={{[0-9]+}}, MovedBytes=3145728, MovedPadding=0, Steps=8
  %0 = kernel.fusion "dot" (%a = %x, %b = %y)
      attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 128>, <value 2 dim 1 by 128>], buffers = [2, 2, 2]>}
      : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32> {
    %dot = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
    kernel.fused %dot : tensor<256x512xf32>
  }
  return %0 : tensor<256x512xf32>
}

// -----

func.func @gathered(%x: tensor<4096xf32>, %i: tensor<i32>) -> tensor<128xf32> {
  %0 = kernel.fusion "copy" (%a = %x, %j = %i) : (tensor<4096xf32>, tensor<i32>) -> tensor<128xf32> {
    %part = stablehlo.dynamic_slice %a, %j, sizes = [128] : (tensor<4096xf32>, tensor<i32>) -> tensor<128xf32>
    kernel.fused %part : tensor<128xf32>
  }
  // CHECK: [[@LINE+1]]:8: remark: {{.}}Missed] TwoKernels | Category:systole-explain-fusions | Reason="this kernel moves elements at computed positions"
  %1 = kernel.fusion "loop" (%a = %0) : (tensor<128xf32>) -> tensor<128xf32> {
    %exp = stablehlo.exponential %a : tensor<128xf32>
    kernel.fused %exp : tensor<128xf32>
  }
  return %1 : tensor<128xf32>
}
