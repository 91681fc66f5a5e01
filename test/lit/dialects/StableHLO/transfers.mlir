// Tokens, and transfers with the host and with other devices.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @transfers(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[T:.*]]: !stablehlo.token)
func.func @transfers(%x: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {
  // CHECK: %[[NEW:.*]] = stablehlo.create_token : !stablehlo.token
  %new = stablehlo.create_token : !stablehlo.token
  // CHECK: %[[BOTH:.*]] = stablehlo.after_all %[[T]], %[[NEW]] : !stablehlo.token
  %both = stablehlo.after_all %t, %new : !stablehlo.token
  // CHECK: stablehlo.after_all : !stablehlo.token
  %none = stablehlo.after_all : !stablehlo.token
  // CHECK: %[[SENT:.*]] = "stablehlo.send"(%[[X]], %[[BOTH]]) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %sent = "stablehlo.send"(%x, %both) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.recv"(%[[SENT]]) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %got:2 = "stablehlo.recv"(%sent) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %got#0, %got#1 : tensor<4xf32>, !stablehlo.token
}

// CHECK-LABEL: func.func @queues(
// CHECK-SAME: %[[T:.*]]: !stablehlo.token)
func.func @queues(%t: !stablehlo.token) -> !stablehlo.token {
  // CHECK: %[[IN:.*]]:3 = "stablehlo.infeed"(%[[T]]) <{infeed_config = "c", layout = {{\[\[0, 1\], \[\]\]}}}> : (!stablehlo.token) -> (tensor<4x2xf32>, tensor<i1>, !stablehlo.token)
  %in:3 = "stablehlo.infeed"(%t) <{infeed_config = "c", layout = [[0, 1], []]}> : (!stablehlo.token) -> (tensor<4x2xf32>, tensor<i1>, !stablehlo.token)
  // CHECK: %[[NONE:.*]] = "stablehlo.infeed"(%[[IN]]#2) <{infeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
  %none = "stablehlo.infeed"(%in#2) : (!stablehlo.token) -> !stablehlo.token
  // CHECK: %[[OUT:.*]] = "stablehlo.outfeed"(%[[IN]]#0, %[[IN]]#1, %[[NONE]]) <{outfeed_config = "d"}> : (tensor<4x2xf32>, tensor<i1>, !stablehlo.token) -> !stablehlo.token
  %out = "stablehlo.outfeed"(%in#0, %in#1, %none) <{outfeed_config = "d"}> : (tensor<4x2xf32>, tensor<i1>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.outfeed"(%[[OUT]]) <{outfeed_config = ""}> : (!stablehlo.token) -> !stablehlo.token
  %last = "stablehlo.outfeed"(%out) : (!stablehlo.token) -> !stablehlo.token
  return %last : !stablehlo.token
}
