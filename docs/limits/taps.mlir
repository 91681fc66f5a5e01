// Sixteen taps of a convolution, each three columns of a product that are transposed.
func.func @main(%x: tensor<2x28x28x33xbf16>, %w: tensor<4x4x3x33xbf16>) -> tensor<2x28x28x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x28x28x33xbf16>, tensor<4x4x3x33xbf16>) -> tensor<2x28x28x3xbf16>
  %1 = stablehlo.convert %0 : (tensor<2x28x28x3xbf16>) -> tensor<2x28x28x3xf32>
  return %1 : tensor<2x28x28x3xf32>
}
