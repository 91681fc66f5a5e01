// Two groups of two features, 1 x 1. The first group's input has an infinity; the second group's result should be 2.
func.func @main() -> tensor<1x2x1x4xf32> {
  %input = stablehlo.constant dense<[[[[0x7F800000, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0]]]]> : tensor<1x2x1x4xf32>
  %weights = stablehlo.constant dense<1.0> : tensor<1x1x2x4xf32>
  %result = stablehlo.convolution(%input, %weights)
    dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<1x2x1x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x2x1x4xf32>
  return %result : tensor<1x2x1x4xf32>
}
