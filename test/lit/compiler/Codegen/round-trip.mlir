// What the pipeline makes for a core is printed, read, verified and printed again: products,
// copies of one chunk and of many, loops, scalars.
// RUN: systole-opt %s --systole-pipeline="to=core" -o %t.mlir
// RUN: %systole-opt %t.mlir | FileCheck %s

// CHECK: #core.dma<hbm to vmem, chunk = 128>
// CHECK: #core.dma<{{.*}} by counts = [
// CHECK: core.mxu.push
func.func @main(%table: tensor<300x128xf32>, %w: tensor<128x64xf32>, %i: tensor<i32>)
    -> (tensor<1x64xf32>, tensor<300x64xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %limit = stablehlo.constant dense<9> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<1x64xf32>
  %loop:2 = stablehlo.while(%n = %i, %sum = %start) : tensor<i32>, tensor<1x64xf32>
  cond {
    %more = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %table, %n, %zero, sizes = [1, 128]
        : (tensor<300x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %product = stablehlo.dot_general %row, %w, contracting_dims = [1] x [0]
        : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %next = stablehlo.add %sum, %product : tensor<1x64xf32>
    %after = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %after, %next : tensor<i32>, tensor<1x64xf32>
  }
  %all = stablehlo.dot_general %table, %w, contracting_dims = [1] x [0]
      : (tensor<300x128xf32>, tensor<128x64xf32>) -> tensor<300x64xf32>
  return %loop#1, %all : tensor<1x64xf32>, tensor<300x64xf32>
}
