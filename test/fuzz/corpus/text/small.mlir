module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf8E4M3FN> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4x8xi4>) -> (tensor<4x8xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<4x4xf8E4M3FN> {jax.result_info = "result[1]"}, tensor<4x8xf8E5M2> {jax.result_info = "result[2]"}, tensor<4x8xi4> {jax.result_info = "result[3]"}, tensor<4x8xui4> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4x8xf8E4M3FN>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf8E4M3FN>) -> tensor<8x4xf8E4M3FN>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E4M3FN>) -> tensor<4x4xf8E4M3FN>
    %3 = stablehlo.convert %arg0 : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E5M2>
    %4 = stablehlo.multiply %arg1, %arg1 : tensor<4x8xi4>
    %5 = stablehlo.convert %arg1 : (tensor<4x8xi4>) -> tensor<4x8xui4>
    return %0, %2, %3, %4, %5 : tensor<4x8xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<4x8xf8E5M2>, tensor<4x8xi4>, tensor<4x8xui4>
  }
}
