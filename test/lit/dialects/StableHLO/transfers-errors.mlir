// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @direction(%x: tensor<3xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{requires a channel of type 2, but it is of type 3}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

func.func @negative(%t: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
  // expected-error@+1 {{requires a channel that is not negative, but it is -1}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = -1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
  return %0#0, %0#1 : tensor<f32>, !stablehlo.token
}

// -----

func.func @last(%t: !stablehlo.token) -> tensor<f32> {
  // expected-error@+1 {{requires a token as its last result}}
  %0 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @first(%t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{requires tensors as all results but the last one}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return %0#0 : !stablehlo.token
}
