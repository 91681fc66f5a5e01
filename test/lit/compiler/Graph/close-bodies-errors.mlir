// RUN: systole-opt %s --systole-close-bodies --split-input-file --verify-diagnostics

func.func @reducer(%x: tensor<4x8xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  %r = stablehlo.reduce(%x init: %y) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    // expected-error@+1 {{the body of 'stablehlo.reduce' captures a value}}
    %s = stablehlo.add %a, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %r : tensor<4xf32>
}
