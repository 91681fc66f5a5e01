func.func @main(%x: tensor<2x8x1xf32>, %w: tensor<3x1x1xf32>, %n: tensor<i32>) -> tensor<2x?x1xf32> {
  %k = stablehlo.set_dimension_size %w, %n, dim = 0
      : (tensor<3x1x1xf32>, tensor<i32>) -> tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x8x1xf32>, tensor<?x1x1xf32, #stablehlo.bounds<3, ?, ?>>) -> tensor<2x?x1xf32>
  return %r : tensor<2x?x1xf32>
}
