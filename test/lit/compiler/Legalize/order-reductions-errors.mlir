// RUN: %systole-opt %s --systole-order-reductions --verify-diagnostics

func.func @loop(%x: tensor<5x9xf32>, %i: tensor<f32>) -> tensor<9xf32> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<5x9xf32>, tensor<f32>) -> tensor<9xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    // expected-error@+1 {{operation 'stablehlo.if' is not supported in the body of 'stablehlo.reduce'}}
    %s = "stablehlo.if"(%lt) ({
      stablehlo.return %a : tensor<f32>
    }, {
      %n = stablehlo.negate %b : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %r : tensor<9xf32>
}
