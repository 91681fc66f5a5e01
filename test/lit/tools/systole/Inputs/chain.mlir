// 2 * x + 2
func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<8x128xf32>
  %product = stablehlo.multiply %x, %two : tensor<8x128xf32>
  %sum = stablehlo.add %product, %two : tensor<8x128xf32>
  return %sum : tensor<8x128xf32>
}
