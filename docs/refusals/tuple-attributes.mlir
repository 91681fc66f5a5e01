// Attributes of tuples
// Instead: the elements as arguments and results of their own.
func.func @main(%x: tuple<tensor<f32>, tensor<f32>> {tf.aliasing_output = 0 : i32}) -> tensor<f32> {
  %0 = "stablehlo.get_tuple_element"(%x) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<f32>>) -> tensor<f32>
  return %0 : tensor<f32>
}
