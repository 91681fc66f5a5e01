// RUN: systole-opt %s --systole-raise-transfers | FileCheck %s

// CHECK-LABEL: func @main
// CHECK-SAME: (%[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>)
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[T0:.*]] = stablehlo.create_token : !stablehlo.token
  // CHECK: %[[T1:.*]] = "stablehlo.send"(%[[X]], %[[T0]]) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  kernel.send %x to 2 : tensor<4xf32>
  // CHECK: %[[Y:.*]]:2 = "stablehlo.recv"(%[[T1]]) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %y = kernel.recv 3 : tensor<4xf32>
  // CHECK: "stablehlo.if"(%[[P]])
  "stablehlo.if"(%p) ({
    // CHECK: %[[T2:.*]] = stablehlo.create_token
    // CHECK: "stablehlo.send"(%[[Y]]#0, %[[T2]])
    kernel.send %y to 4 : tensor<4xf32>
    stablehlo.return
  }, {
    // CHECK-NOT: create_token
    stablehlo.return
  }) : (tensor<i1>) -> ()
  // A queue has no channel.
  // CHECK: kernel.send %[[X]] to queue 0
  kernel.send %x to queue 0 : tensor<4xf32>
  return %y : tensor<4xf32>
}
