// Operations that read one array in ways that cannot be divided alike
// Instead: `jax.lax.optimization_barrier` around the array that one of them reads, which makes it another one.
func.func @main(%x: tensor<1x4100x128xf32>) -> tensor<3x1x128xf32> {
  %1 = stablehlo.convolution(%x, %x) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[1, 1]]} {batch_group_count = 128 : i64, feature_group_count = 1 : i64} : (tensor<1x4100x128xf32>, tensor<1x4100x128xf32>) -> tensor<3x1x128xf32>
  return %1 : tensor<3x1x128xf32>
}
