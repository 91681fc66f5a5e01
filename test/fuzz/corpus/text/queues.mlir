
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
  %t = stablehlo.create_token : !stablehlo.token
  %0:3 = "stablehlo.infeed"(%t) <{infeed_config = "c", layout = [[0], []]}>
      : (!stablehlo.token) -> (tensor<3xf32>, tensor<i64>, !stablehlo.token)
  %true = stablehlo.constant dense<true> : tensor<i1>
  %1:3 = stablehlo.while(%more = %true, %sum = %x, %token = %0#2) : tensor<i1>, tensor<3xf32>, !stablehlo.token
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %2:3 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<3xf32>, tensor<i1>, !stablehlo.token)
    %3 = stablehlo.add %sum, %2#0 : tensor<3xf32>
    %4 = "stablehlo.if"(%2#1) ({
      %5 = "stablehlo.outfeed"(%3, %2#1, %2#2) <{outfeed_config = "d"}>
          : (tensor<3xf32>, tensor<i1>, !stablehlo.token) -> !stablehlo.token
      stablehlo.return %5 : !stablehlo.token
    }, {
      stablehlo.return %2#2 : !stablehlo.token
    }) : (tensor<i1>) -> !stablehlo.token
    stablehlo.return %2#1, %3, %4 : tensor<i1>, tensor<3xf32>, !stablehlo.token
  }
  return %1#1, %0#1 : tensor<3xf32>, tensor<i64>
}
