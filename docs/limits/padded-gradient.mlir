// The gradient of a filter of 1 x 3 with SAME padding; the gradient of the first position is infinite.
func.func @main() -> tensor<1x3x1x1xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<1x1x2x1xf32>
  %d = stablehlo.constant dense<[[[[0x7F800000], [1.0]]]]> : tensor<1x1x2x1xf32>
  %0 = stablehlo.convolution(%x, %d) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> tensor<1x3x1x1xf32>
  return %0 : tensor<1x3x1x1xf32>
}
