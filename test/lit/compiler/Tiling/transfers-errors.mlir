// RUN: systole-opt --systole-pipeline="to=kernel" %s --verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  kernel.send %x to 2 : tensor<4xf32>
  %y = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  // expected-error@+1 {{channel 2 is used for 'tensor<2xf32>' and for 'tensor<4xf32>'}}
  kernel.send %y to 2 : tensor<2xf32>
  return %x : tensor<4xf32>
}
