// Attributes of tuples that are results
// Instead: the elements as results of their own.
func.func @main(%x: tensor<f32>) -> (tuple<tensor<f32>, tensor<f32>> {jax.name = "x"}) {
  %0 = stablehlo.tuple %x, %x : tuple<tensor<f32>, tensor<f32>>
  return %0 : tuple<tensor<f32>, tensor<f32>>
}
