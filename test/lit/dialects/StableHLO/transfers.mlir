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
