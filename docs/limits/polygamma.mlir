func.func @main(%n: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %result = chlo.polygamma %n, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %result : tensor<8xf32>
}
