// Transfers without the host.
// RUN: systole-opt --systole-lower-tokens %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<3xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{transfers between devices are not supported yet}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

func.func @main(%x: tensor<3xf32>, %init: tensor<f32>, %t: !stablehlo.token) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{transfers inside of 'stablehlo.reduce' are not supported}}
    %1 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %a : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<3xf32>, %init: tensor<f32>, %t: !stablehlo.token) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{transfers inside of 'stablehlo.reduce' are not supported}}
    %1:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    stablehlo.return %1#0 : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%t: !stablehlo.token) -> tensor<?xf32> {
  // expected-error@+1 {{arrays whose sizes depend on data cannot come from the host: 'tensor<?xf32>'}}
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<?xf32>, !stablehlo.token)
  return %0#0 : tensor<?xf32>
}
