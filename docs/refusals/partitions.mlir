// Programs of several replicas
// Instead: partitions, into which `jax.jit`, `jax.pmap` and `jax.shard_map` divide a program.
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}
