// 1 + 2^-8 needs nine bits of mantissa. bf16 has eight, and rounds it to 1.
func.func @main() -> tensor<2x2xf32> {
  %x = stablehlo.constant dense<1.00390625> : tensor<2x2xf32>
  %identity = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %product = stablehlo.dot_general %x, %identity, contracting_dims = [1] x [0]
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %product : tensor<2x2xf32>
}
