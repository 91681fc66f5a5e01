// RUN: %systole-opt %s --systole-split-integers --split-input-file --verify-diagnostics

func.func @main(%x: tensor<1x9x1xi64>, %k: tensor<3x1x1xi64>) -> tensor<1x7x1xi64> {
  // expected-error@+1 {{operation 'stablehlo.convolution' is not supported for 64-bit integers}}
  %0 = "stablehlo.convolution"(%x, %k) <{
      dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<1x9x1xi64>, tensor<3x1x1xi64>) -> tensor<1x7x1xi64>
  return %0 : tensor<1x7x1xi64>
}

// -----

func.func @main(%x: tensor<9xi64>, %one: tensor<i64>) -> tensor<i64> {
  %0 = "stablehlo.reduce"(%x, %one) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    // expected-error@+1 {{operation 'stablehlo.power' is not supported for 64-bit integers in the body of 'stablehlo.reduce'}}
    %p = stablehlo.power %a, %b : tensor<i64>
    stablehlo.return %p : tensor<i64>
  }) : (tensor<9xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @main(%x: tensor<8200x8200xi64>, %y: tensor<8200x8200xi64>) -> tensor<i64> {
  // expected-error@+1 {{sums of 67240000 products of 64-bit integers are not supported}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [0, 1]
      : (tensor<8200x8200xi64>, tensor<8200x8200xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}
