// Sends two arrays at once and returns two that come at once.
func.func @main(%x: tensor<3xf32>, %n: tensor<2x3xi64>) -> (tensor<5xui64>, tensor<i8>) {
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%x, %n, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, tensor<2x3xi64>, !stablehlo.token) -> !stablehlo.token
  %r:3 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<5xui64>, tensor<i8>, !stablehlo.token)
  return %r#0, %r#1 : tensor<5xui64>, tensor<i8>
}
