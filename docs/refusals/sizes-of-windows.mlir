// Operations for which there is no form on arrays whose sizes depend on data
// Instead: what the error says, here a window of known size.
func.func @main(%x: tensor<2x8x1xf32>, %w: tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>) -> tensor<2x?x1xf32> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x8x1xf32>, tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>) -> tensor<2x?x1xf32>
  return %r : tensor<2x?x1xf32>
}
