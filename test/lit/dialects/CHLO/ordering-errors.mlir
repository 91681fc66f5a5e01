// Verifier errors of top_k.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<f32>) {
  // expected-error@+1 {{requires an operand with a dimension}}
  %0:2 = chlo.top_k(%x, k = 0) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @bad(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{requires a k that is not negative, but it is -1}}
  %0:2 = chlo.top_k(%x, k = -1) : tensor<2x5xf32> -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return
}

// -----

func.func @bad(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{requires 6 elements in the last dimension, but there are 5}}
  %0:2 = chlo.top_k(%x, k = 6) : tensor<2x5xf32> -> (tensor<2x6xf32>, tensor<2x6xi32>)
  return
}

// -----

func.func @bad(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{requires 'tensor<2x3xf32>' for values, but it is 'tensor<2x4xf32>'}}
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x4xf32>, tensor<2x3xi32>)
  return
}

// -----

func.func @bad(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{requires 'tensor<2x3xi32>' for indices, but it is 'tensor<2x4xi32>'}}
  %0:2 = chlo.top_k(%x, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x4xi32>)
  return
}
