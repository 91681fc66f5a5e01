func.func @main(%x: tensor<2x8x4xf32>, %w: tensor<3x2x4xf32>, %n: tensor<i32>) -> tensor<2x6x?xf32> {
  %k = stablehlo.set_dimension_size %w, %n, dim = 2
      : (tensor<3x2x4xf32>, tensor<i32>) -> tensor<3x2x?xf32, #stablehlo.bounds<?, ?, 4>>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
      : (tensor<2x8x4xf32>, tensor<3x2x?xf32, #stablehlo.bounds<?, ?, 4>>) -> tensor<2x6x?xf32>
  return %r : tensor<2x6x?xf32>
}
