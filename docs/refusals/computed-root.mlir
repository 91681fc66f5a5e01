// Broadcasts from a device whose number is computed
// Instead: a root that is the first of its group.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<8xf32>, %root: tensor<1xi32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_broadcast"(%x, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>, tensor<1xi32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
