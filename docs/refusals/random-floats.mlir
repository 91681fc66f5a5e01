// Random bits as floats
// Instead: random integers, and `bitcast_convert`.
func.func @main(%state: tensor<2xui64>) -> tensor<8xf32> {
  %0:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}
