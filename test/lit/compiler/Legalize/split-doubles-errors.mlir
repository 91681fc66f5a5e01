// RUN: %systole-opt %s --systole-split-doubles --split-input-file --verify-diagnostics

// The steps of a remainder are a loop.
func.func @main(%x: tensor<4xf64>, %i: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
   reducer(%a: tensor<f64>, %b: tensor<f64>) {
    // expected-error@+1 {{operation 'stablehlo.remainder' is not supported for f64 in the body of 'stablehlo.reduce'}}
    %1 = stablehlo.remainder %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }
  return %0 : tensor<f64>
}

// -----

func.func @main(%x: tensor<3x5xf64>, %y: tensor<5x4xf64>) -> tensor<3x4xf64> {
  // expected-error@+1 {{operation 'stablehlo.dot_general' is not supported for f64}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xf64>, tensor<5x4xf64>) -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}
