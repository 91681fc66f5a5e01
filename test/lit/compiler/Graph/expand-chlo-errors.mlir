// RUN: systole-opt %s --systole-expand-chlo --split-input-file --verify-diagnostics

func.func @zeta(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operation 'chlo.zeta' is not supported: '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'}}
  %r = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @polygamma(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operation 'chlo.polygamma' is not supported}}
  %r = chlo.polygamma %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
