// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: send C5
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

// -----

// Breaks: send C1
func.func @bad(%x: tensor<4xf32>, %y: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op requires source_target_pairs to have two columns, but they are of type 'tensor<1x3xi64>'}}
  %0 = "stablehlo.send"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Breaks: send C2
func.func @bad(%x: tensor<4xf32>, %y: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op names device 0 twice in sources of source_target_pairs}}
  %0 = "stablehlo.send"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Breaks: send C3
func.func @bad(%x: tensor<4xf32>, %y: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op names device 1 twice in targets of source_target_pairs}}
  %0 = "stablehlo.send"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Breaks: send C4
func.func @bad(%x: tensor<4xf32>, %y: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.send' op cannot name device -1 in targets of source_target_pairs}}
  %0 = "stablehlo.send"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Breaks: recv C1
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op requires source_target_pairs to have two columns, but they are of type 'tensor<1x3xi64>'}}
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Breaks: recv C2
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op names device 0 twice in sources of source_target_pairs}}
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Breaks: recv C3
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op names device 1 twice in targets of source_target_pairs}}
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Breaks: recv C4
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op cannot name device -1 in targets of source_target_pairs}}
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Breaks: recv C5
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.recv' op requires a channel of type 3, but it is of type 1}}
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Breaks: infeed C1
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op requires a token as its last result}}
  "stablehlo.infeed"(%x) : (!stablehlo.token) -> ()
  return
}

// -----

// Breaks: infeed C2
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op requires tensors as all results but the last one}}
  %0:2 = "stablehlo.infeed"(%x) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// Breaks: infeed C3
func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op requires a token as its last result}}
  %0 = "stablehlo.infeed"(%x) : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.infeed' op requires a layout for each of its 1 arrays, but there are 2}}
  %0:2 = "stablehlo.infeed"(%x) <{layout = [[0], [0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.outfeed' op operand #0 must be the completion of an effect}}
  %0 = "stablehlo.outfeed"(%x) : (tensor<4xf32>) -> !stablehlo.token
  return
}
