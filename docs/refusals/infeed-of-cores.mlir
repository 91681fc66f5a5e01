// Infeed and outfeed of several cores
// Instead: arguments that are divided, or callbacks.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main() -> tensor<8xf32> {
    %token = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
    return %0#0 : tensor<8xf32>
  }
}
