// Collectives whose groups are along axes of a mesh without a name
// Instead: a mesh of the module, as JAX writes it.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
