// RUN: %systole-opt %s | FileCheck %s
// RUN: %systole-opt %s | %systole-opt | FileCheck %s

// CHECK-LABEL: func.func @tiled
func.func @tiled(%x: tensor<256x512xf32>, %y: tensor<256x512xf32>) -> tensor<256x512xf32> {
  // CHECK: kernel.fusion "loop"
  // CHECK-SAME: attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 64>, <value 0 dim 1 by 128>], buffers = [1, 2, 2], pieces = [4, 1, 1], estimate = 4120>}
  %0 = kernel.fusion "loop" (%a = %x, %b = %y)
      attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 64>, <value 0 dim 1 by 128>],
                                      estimate = 4120, pieces = [4, 1, 1], buffers = [1, 2, 2]>}
      : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x512xf32> {
    %sum = stablehlo.add %a, %b : tensor<256x512xf32>
    kernel.fused %sum : tensor<256x512xf32>
  }
  func.return %0 : tensor<256x512xf32>
}

// CHECK-LABEL: func.func @whole
func.func @whole(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: plan = #kernel.plan<axes = []>
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<8xf32>) -> tensor<8xf32> {
    %negated = stablehlo.negate %a : tensor<8xf32>
    kernel.fused %negated : tensor<8xf32>
  }
  func.return %0 : tensor<8xf32>
}

// One buffer of a block that changes; two are not printed.
// CHECK-LABEL: kernel.func @buffers
// CHECK-SAME: #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), buffers = 1>
// CHECK-SAME: #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), stride = [8, 128], offset = [1, 0], buffers = 1>
// CHECK-SAME: #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), stride = [8, 128], offset = [1, 0]>
// CHECK-SAME: #kernel.operand<out, block = [8, 128], map = (d0) -> (d0, 0)>
kernel.func @buffers grid (%i = 4)
    (%x : !kernel.buffer<32x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), buffers = 1>,
     %w : !kernel.buffer<32x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), stride = [8, 128], offset = [1, 0], buffers = 1>,
     %v : !kernel.buffer<32x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = (d0) -> (d0, 0), stride = [8, 128], offset = [1, 0]>,
     %y : !kernel.buffer<32x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = (d0) -> (d0, 0), buffers = 2>) {
  kernel.return
}

// One piece is not printed.
// CHECK-LABEL: kernel.func @pieces
// CHECK-SAME: #kernel.operand<in, block = [32, 128], map = (d0) -> (0, 0), pieces = 4>
// CHECK-SAME: #kernel.operand<in, block = [32, 128], map = (d0) -> (0, 0)>
kernel.func @pieces grid (%i = 4)
    (%x : !kernel.buffer<32x128xf32, hbm> #kernel.operand<in, block = [32, 128], map = (d0) -> (0, 0), pieces = 4>,
     %y : !kernel.buffer<32x128xf32, hbm> #kernel.operand<in, block = [32, 128], map = (d0) -> (0, 0), pieces = 1>) {
  kernel.return
}
