// Sends a number that it returns.
func.func @main() -> tensor<3xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %x = stablehlo.constant dense<2.0> : tensor<3xf32>
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %x : tensor<3xf32>
}
