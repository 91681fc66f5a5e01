// Arrays of which cores have parts of a maximum
// Instead: `jax.lax.pmax` where the maximum is made.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
