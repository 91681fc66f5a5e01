// Transfers that the host takes no part in, and those of several arrays.
// RUN: systole-opt --systole-lower-tokens %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<3xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{transfers between devices are not supported yet}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

func.func @main(%x: tensor<3xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{a transfer of 2 arrays over one channel is not supported; one is}}
  %0 = "stablehlo.send"(%x, %x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<3xf32>, tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{a transfer of 0 arrays over one channel is not supported; one is}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
