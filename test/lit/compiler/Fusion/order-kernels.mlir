// RUN: %systole-opt %s --systole-order-kernels --split-input-file | FileCheck %s

// Each of two arrays of 4 MB is read right after it is made, instead of both at the end.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = kernel.fusion "loop" (%{{.*}} = %arg0)
// CHECK: kernel.fusion "reduce" (%{{.*}} = %[[A]])
// CHECK: %[[B:.*]] = kernel.fusion "loop" (%{{.*}} = %arg1)
// CHECK: kernel.fusion "reduce" (%{{.*}} = %[[B]])
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %a = kernel.fusion "loop" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %b = kernel.fusion "loop" (%in = %y) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %c = kernel.fusion "reduce" (%in = %a) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%in init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  %d = kernel.fusion "reduce" (%in = %b) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%in init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  return %c, %d : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// Not across a barrier, which waits for both.
// CHECK-LABEL: func.func @main
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg0)
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg1)
// CHECK: stablehlo.optimization_barrier
// CHECK: kernel.fusion "reduce"
// CHECK: kernel.fusion "reduce"
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %a = kernel.fusion "loop" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %b = kernel.fusion "loop" (%in = %y) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %w:2 = stablehlo.optimization_barrier %a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  %c = kernel.fusion "reduce" (%in = %w#0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%in init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  %d = kernel.fusion "reduce" (%in = %w#1) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%in init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  return %c, %d : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// A donated argument is read before its place is taken by the result, which stands first in the program.
// CHECK-LABEL: func.func @main
// CHECK: kernel.fusion "reduce" (%{{.*}} = %arg0)
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg0)
func.func @main(%x: tensor<1024x1024xf32> {jax.buffer_donor = true}) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %a = kernel.fusion "loop" (%in = %x)
      attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 128>], buffers = [2, 2]>}
      : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %c = kernel.fusion "reduce" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%in init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  return %a, %c : tensor<1024x1024xf32>, tensor<1024xf32>
}

// -----

// Nothing is gained: the order of the program stays.
// CHECK-LABEL: func.func @main
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg1)
// CHECK: kernel.fusion "loop" (%{{.*}} = %arg0)
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %a = kernel.fusion "loop" (%in = %y) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %b = kernel.fusion "loop" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  return %b, %a : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
