// Arrays whose parts are still to be added
// Instead: `jax.lax.psum` where the sum is made.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
