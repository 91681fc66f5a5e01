func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %y = stablehlo.set_dimension_size %x, %n, dim = 0
      : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %y : tensor<?xf32, #stablehlo.bounds<8>>
}
