module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x8xf32> {jax.result_info = "result[1]"}, tensor<4x2xf32> {jax.result_info = "result[2][0]"}, tensor<4x2xi32> {jax.result_info = "result[2][1]"}) {
    %0 = chlo.erf %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %1 = chlo.lgamma %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    return %0, %1, %values, %indices : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x2xi32>
  }
}
