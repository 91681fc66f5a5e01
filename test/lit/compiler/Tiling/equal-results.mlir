// RUN: %systole-opt %s --systole-form-kernels | FileCheck %s

// A value that a fusion returns several times is computed into the first of its buffers, and copied
// to the others: a constant, and the result of a stage.
// CHECK: kernel.func @{{[^ (]+}} grid () (
// CHECK-SAME: %[[X:[^ ]+]] : !kernel.buffer<7x10xf32, hbm> #kernel.operand<in
// CHECK-SAME: %[[C0:[^ ]+]] : !kernel.buffer<12x10xf32, hbm> #kernel.operand<out
// CHECK-SAME: %[[T0:[^ ]+]] : !kernel.buffer<10x7xf32, hbm> #kernel.operand<out
// CHECK-SAME: %[[C1:[^ ]+]] : !kernel.buffer<12x10xf32, hbm> #kernel.operand<out
// CHECK-SAME: %[[T1:[^ ]+]] : !kernel.buffer<10x7xf32, hbm> #kernel.operand<out
// CHECK-SAME: %[[C2:[^ ]+]] : !kernel.buffer<12x10xf32, hbm> #kernel.operand<out
// CHECK: kernel.copy %[[X]] to %[[T0]]
// CHECK: kernel.map ins() outs(%[[C0]] :
// CHECK: kernel.copy %[[C0]] to %[[C1]]
// CHECK: kernel.copy %[[T0]] to %[[T1]]
// CHECK: kernel.copy %[[C0]] to %[[C2]]
// CHECK: kernel.return
func.func @main(%x: tensor<7x10xf32>)
    -> (tensor<12x10xf32>, tensor<10x7xf32>, tensor<12x10xf32>, tensor<10x7xf32>,
        tensor<12x10xf32>) {
  %0:5 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<7x10xf32>) -> (tensor<12x10xf32>, tensor<10x7xf32>, tensor<12x10xf32>,
                               tensor<10x7xf32>, tensor<12x10xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<12x10xf32>
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<7x10xf32>) -> tensor<10x7xf32>
    kernel.fused %zero, %1, %zero, %1, %zero : tensor<12x10xf32>, tensor<10x7xf32>,
        tensor<12x10xf32>, tensor<10x7xf32>, tensor<12x10xf32>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<12x10xf32>, tensor<10x7xf32>, tensor<12x10xf32>,
      tensor<10x7xf32>, tensor<12x10xf32>
}
