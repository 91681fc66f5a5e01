// Sizes that depend on data, without a bound
// Instead: a bound in the type of the result, as in `tensor<?xf32, #stablehlo.bounds<8>>`.
func.func @main(%x: tensor<f32>, %n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
