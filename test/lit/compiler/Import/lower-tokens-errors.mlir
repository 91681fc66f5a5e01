// Transfers that the host takes no part in.
// RUN: systole-opt --systole-lower-tokens %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<3xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{transfers between devices are not supported yet}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
