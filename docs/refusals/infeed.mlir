// Infeed and outfeed
// Instead: arguments and results of several calls, or callbacks.
func.func @main() -> tensor<8xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
  return %0#0 : tensor<8xf32>
}
