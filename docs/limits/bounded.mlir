func.func @main(%x: tensor<8x4xf32>, %s: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %y = stablehlo.set_dimension_size %x, %n, dim = 0
      : (tensor<8x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %r:3 = "stablehlo.batch_norm_training"(%y, %s, %s) <{epsilon = 0.1 : f32, feature_index = 1 : i64}>
      : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<4xf32>, tensor<4xf32>)
  return %r#1 : tensor<4xf32>
}
