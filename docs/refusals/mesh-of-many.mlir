// Meshes of more devices than a slice has
// Instead: a smaller mesh.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=8192]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
