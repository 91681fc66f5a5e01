// Values on one device of several
// Instead: values on all devices of the mesh.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @one = <[], device_ids=[0]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
