// Adds what it takes from the infeed to the argument, and puts the sum into the outfeed.
func.func @main(%x: tensor<3xf32>) -> tensor<i64> {
  %t = stablehlo.create_token : !stablehlo.token
  %i:3 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<3xf32>, tensor<i64>, !stablehlo.token)
  %s = stablehlo.add %x, %i#0 : tensor<3xf32>
  %o = "stablehlo.outfeed"(%s, %i#2) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %i#1 : tensor<i64>
}
