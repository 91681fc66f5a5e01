
!x = tensor<?x4xf32, #stablehlo.bounds<8, ?>>
func.func @main(%x: !x, %n: tensor<i32>) -> (!x, tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.set_dimension_size"(%x, %n) <{dimension = 0 : i64}> : (!x, tensor<i32>) -> !x
  %1 = stablehlo.multiply %0, %0 : !x
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
      : (!x, tensor<f32>) -> tensor<4xf32>
  %3 = "stablehlo.get_dimension_size"(%1) <{dimension = 0 : i64}> : (!x) -> tensor<i32>
  return %1, %2, %3 : !x, tensor<4xf32>, tensor<i32>
}
