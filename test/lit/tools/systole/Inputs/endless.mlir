func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.while(%a = %x) : tensor<4xf32>
  cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
