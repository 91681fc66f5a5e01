// RUN: %systole-opt %s --systole-merge-fusions | FileCheck %s

// The update of weights reads their gradient, which a kernel makes that another one waits for: the
// update runs there, not behind the other.
// CHECK-LABEL: @main
// CHECK: %[[G:.*]]:2 = kernel.fusion "dot"
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.subtract
// CHECK: kernel.fusion "dot" (%{{.*}} = %[[G]]#{{[01]}}, %{{.*}} = %arg2)
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @main(%x: tensor<768x1024xbf16>, %y: tensor<1024x768xbf16>, %z: tensor<768x512xbf16>, %w: tensor<768x768xf32>)
    -> (tensor<768x768xf32>, tensor<768x512xf32>) {
  %g = kernel.fusion "dot" (%a = %x, %b = %y) : (tensor<768x1024xbf16>, tensor<1024x768xbf16>) -> tensor<768x768xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<768x1024xbf16>, tensor<1024x768xbf16>) -> tensor<768x768xf32>
    kernel.fused %0 : tensor<768x768xf32>
  }
  %p = kernel.fusion "dot" (%a = %g, %b = %z) : (tensor<768x768xf32>, tensor<768x512xbf16>) -> tensor<768x512xf32> {
    %0 = stablehlo.convert %a : (tensor<768x768xf32>) -> tensor<768x768xbf16>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<768x768xbf16>, tensor<768x512xbf16>) -> tensor<768x512xf32>
    kernel.fused %1 : tensor<768x512xf32>
  }
  %u = kernel.fusion "loop" (%a = %w, %b = %g) : (tensor<768x768xf32>, tensor<768x768xf32>) -> tensor<768x768xf32> {
    %0 = stablehlo.subtract %a, %b : tensor<768x768xf32>
    kernel.fused %0 : tensor<768x768xf32>
  }
  return %u, %p : tensor<768x768xf32>, tensor<768x512xf32>
}
