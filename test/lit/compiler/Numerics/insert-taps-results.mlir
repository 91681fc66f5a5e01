// Neither what is computed from constants alone nor what nobody uses is tapped; all results may be.
// RUN: systole-opt --systole-insert-taps="all-results" %s | FileCheck %s
// CHECK-LABEL: func.func private @results
// CHECK-NEXT: constant
// CHECK-NEXT: constant
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: %[[R:.*]]:2 = stablehlo.reduce
// CHECK-DAG: kernel.send %[[R]]#0
// CHECK-DAG: kernel.send %[[R]]#1
// CHECK: %[[S:.*]] = stablehlo.add
// CHECK-NEXT: kernel.send %[[S]]
// CHECK-NEXT: return
func.func private @results(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %nan = stablehlo.constant dense<0x7FC0> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.convert %nan : (tensor<bf16>) -> tensor<f32>
  %unused = stablehlo.negate %x : tensor<4xf32>
  %r:2 = stablehlo.reduce(%x init: %zero), (%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    %e = stablehlo.add %a, %b : tensor<f32>
    %f = stablehlo.maximum %c, %d : tensor<f32>
    stablehlo.return %e, %f : tensor<f32>, tensor<f32>
  }
  %s = stablehlo.add %r#0, %wide : tensor<f32>
  return %r#0, %r#1, %s : tensor<f32>, tensor<f32>, tensor<f32>
}
