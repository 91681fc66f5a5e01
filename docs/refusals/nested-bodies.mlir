// Bodies of dynamic windows that have a body of their own
// Instead: `stablehlo.reduce_window`, or a body of operations on scalars.
func.func private @body(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1> : tensor<0xi64>
  %p = stablehlo.constant dense<1> : tensor<0x2xi64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%a, %b, %c, %c, %c, %c, %p) {called_computations = [@body]} : (tensor<f32>, tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0x2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>, %i: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.constant dense<1> : tensor<0xi64>
  %p = stablehlo.constant dense<1> : tensor<0x2xi64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %i, %c, %c, %c, %c, %p) {called_computations = [@body]} : (tensor<f32>, tensor<f32>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0xi64>, tensor<0x2xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
