// One core exchanges arrays with the host where the whole program does, and sends the others what it
// receives; each core does in a manual computation.
// RUN: systole-opt --systole-lower-tokens --systole-partition --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[W:.*]] = "stablehlo.all_gather"(%[[X]])
// CHECK: %[[ID:.*]] = stablehlo.partition_id
// CHECK: %[[C:.*]] = stablehlo.constant dense<1> : tensor<ui32>
// CHECK: %[[P:.*]] = stablehlo.compare EQ, %[[ID]], %[[C]]
// CHECK: "stablehlo.if"(%[[P]]) ({
// CHECK-NEXT: kernel.send %[[W]] to 2 : tensor<8xf32>
// CHECK-NEXT: stablehlo.return
// CHECK-NEXT: }, {
// CHECK-NEXT: stablehlo.return
// CHECK: %[[R:.*]] = "stablehlo.if"
// CHECK-NEXT: %[[Y:.*]] = kernel.recv 3 : tensor<8xf32>
// CHECK-NEXT: stablehlo.return %[[Y]]
// CHECK: "stablehlo.collective_broadcast"(%[[R]]) <{{.*}}replica_groups = dense<{{\[\[}}1, 0]]>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @second = <[], device_ids=[1]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> {sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>} : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, is_host_transfer = true}> {sdy.sharding = #sdy.sharding_per_value<[<@second, [{}]>, <@second, []>]>} : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
    return %r#0 : tensor<8xf32>
  }
}

// -----

// The token is an argument and a result of the manual computation.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[T:.*]]: tensor<0xi1>, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: kernel.send %[[X]] to 2 : tensor<4xf32>
// CHECK-NEXT: return %[[T]] : tensor<0xi1>
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%t: !stablehlo.token, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> !stablehlo.token {
    %0 = sdy.manual_computation(%t, %x) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, []>] manual_axes={"x"} (%own: !stablehlo.token, %part: tensor<4xf32>) {
      %1 = "stablehlo.send"(%part, %own) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      sdy.return %1 : !stablehlo.token
    } : (!stablehlo.token, tensor<8xf32>) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
}
