// RUN: %systole-opt %s --systole-rematerialize="hbm-rows=26000" --split-input-file | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: %systole-opt %s --systole-rematerialize="hbm-rows=60000" --split-input-file | FileCheck %s --check-prefixes=CHECK,LARGE

// %a, of 4 MB as all arrays here, is live while %b and %c are, five with the argument and the result: 40,960 rows.
// Where HBM has less, it is computed again from the argument before its last reader.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = kernel.fusion "loop" (%{{.*}} = %arg0)
// CHECK: %[[B:.*]] = kernel.fusion "loop" (%{{.*}} = %[[A]])
// CHECK: %[[C:.*]] = kernel.fusion "loop" (%{{.*}} = %[[B]])
// SMALL: kernel.fusion "loop" (%{{.*}} = %arg0
// SMALL-NEXT: stablehlo.exponential
// LARGE: kernel.fusion "loop" (%{{.*}} = %[[C]], %{{.*}} = %[[A]])
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %a = kernel.fusion "loop" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %b = kernel.fusion "loop" (%in = %a) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %c = kernel.fusion "loop" (%in = %b) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.sine %0 : tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  %d = kernel.fusion "loop" (%in = %c, %e = %a) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.add %0, %e : tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  return %d : tensor<1024x1024xf32>
}

// -----

// Not across a barrier.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = kernel.fusion "loop" (%{{.*}} = %arg0)
// CHECK: kernel.fusion "loop" (%{{.*}} = %{{.*}}, %{{.*}} = %[[A]])
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %a = kernel.fusion "loop" (%in = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.exponential %in : tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %b = kernel.fusion "loop" (%in = %a) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %0 : tensor<1024x1024xf32>
  }
  %w = stablehlo.optimization_barrier %b : tensor<1024x1024xf32>
  %c = kernel.fusion "loop" (%in = %w) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.sine %0 : tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  %d = kernel.fusion "loop" (%in = %c, %e = %a) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.transpose %in, dims = [1, 0] : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.add %0, %e : tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  return %d : tensor<1024x1024xf32>
}
