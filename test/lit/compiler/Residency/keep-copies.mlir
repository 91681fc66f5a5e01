// RUN: %systole-opt %s --systole-plan-residency="target=v3 first-blocks=false" | FileCheck %s
// RUN: %systole-opt %s --systole-plan-residency="target=v3 vmem-bytes=4194304 first-blocks=false" | FileCheck %s --check-prefix=SMALL

// The first of two kernels that read an array leaves a copy of it in VMEM for the other one, where VMEM has room.
// CHECK-LABEL: @twice
// CHECK-SAME: %[[X:[^:]*]]: tensor<1024x1024xf32>
// CHECK: %[[S:.*]]:2 = kernel.fusion "reduce" (%[[A:.*]] = %[[X]])
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[A]]
// CHECK: %[[COPY:.*]] = stablehlo.convert %[[A]] : tensor<1024x1024xf32>
// CHECK: kernel.fused %[[SUM]], %[[COPY]]
// CHECK: %[[K:.*]] = kernel.resident %[[S]]#1 block = {{.*}} placement = <kernels,
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[K]],
// SMALL-LABEL: @twice
// SMALL-NOT: stablehlo.convert
func.func @twice(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %s = kernel.fusion "reduce" (%a = %x) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %0 : tensor<1024xf32>
  }
  %r = kernel.fusion "loop" (%a = %x, %b = %s) : (tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<1024x1024xf32> {
    %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %1 = stablehlo.subtract %a, %0 : tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  return %r : tensor<1024x1024xf32>
}

// A copy of a few rows saves less than loading the code of a kernel of its own.
// CHECK-LABEL: @small
// CHECK-NOT: stablehlo.convert
// CHECK-NOT: kernel.resident
// CHECK: return
func.func @small(%x: tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  %s = kernel.fusion "loop" (%a = %x) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.exponential %a : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  %r = kernel.fusion "loop" (%a = %x) : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.exponential %a : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  return %s, %r : tensor<8x128xf32>, tensor<8x128xf32>
}

// Of two arrays that the same kernels read both have a copy, and a result that VMEM keeps already stays one.
// CHECK-LABEL: @several
// CHECK: %[[F:.*]]:4 = kernel.fusion "reduce"
// CHECK-COUNT-3: kernel.resident %[[F]]#{{[123]}} block = {{.*}} placement = <kernels,
// CHECK-NOT: kernel.resident
func.func @several(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512x512xf32>) {
  %s:2 = kernel.fusion "reduce" (%a = %x, %b = %y) : (tensor<512x512xf32>, tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512x512xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.multiply %a, %b : tensor<512x512xf32>
    %0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
    kernel.fused %0, %p : tensor<512xf32>, tensor<512x512xf32>
  }
  %r = kernel.fusion "loop" (%a = %x, %b = %y, %c = %s#1) : (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = stablehlo.subtract %a, %b : tensor<512x512xf32>
    %1 = stablehlo.divide %0, %c : tensor<512x512xf32>
    kernel.fused %1 : tensor<512x512xf32>
  }
  return %s#0, %r : tensor<512xf32>, tensor<512x512xf32>
}
