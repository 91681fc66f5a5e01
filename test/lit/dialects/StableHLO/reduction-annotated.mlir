// A body whose operation has an attribute is written out, as `applies` would lose
// the attribute. (jaxlib loses it, so this is apart from what is compared with it.)
// RUN: %systole-opt %s | FileCheck %s

func.func @annotated(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // CHECK: reducer(
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} {mhlo.note = "kept"} : tensor<f32>
  %annotated = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %r = stablehlo.add %a, %b {mhlo.note = "kept"} : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }
  return
}
