// RUN: systole-opt %s --systole-expand-operations --split-input-file --verify-diagnostics

func.func @map(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    // expected-error@+1 {{operation 'stablehlo.reshape' is not supported in the body of 'stablehlo.map': '(tensor<f32>) -> tensor<1xf32>'}}
    %b = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %c = stablehlo.reshape %b : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
