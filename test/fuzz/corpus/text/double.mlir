module @jit_double attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf64>) -> (tensor<4x4xf64> {jax.result_info = "result[0]"}, tensor<4x8xf64> {jax.result_info = "result[1]"}, tensor<4x8xf64> {jax.result_info = "result[2]"}, tensor<4x8xi64> {jax.result_info = "result[3]"}, tensor<4x8xf64> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf64>) -> tensor<8x4xf64>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf64>, tensor<8x4xf64>) -> tensor<4x4xf64>
    %2 = stablehlo.exponential %arg0 : tensor<4x8xf64>
    %3 = stablehlo.divide %2, %arg0 : tensor<4x8xf64>
    %4 = call @cumsum(%arg0) : (tensor<4x8xf64>) -> tensor<4x8xf64>
    %5 = stablehlo.convert %arg0 : (tensor<4x8xf64>) -> tensor<4x8xi64>
    %6 = chlo.erf %arg0 : tensor<4x8xf64> -> tensor<4x8xf64>
    return %1, %3, %4, %5, %6 : tensor<4x4xf64>, tensor<4x8xf64>, tensor<4x8xf64>, tensor<4x8xi64>, tensor<4x8xf64>
  }
  func.func private @cumsum(%arg0: tensor<4x8xf64>) -> tensor<4x8xf64> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x8xf64>) -> tensor<4x8xf64>
    return %0 : tensor<4x8xf64>
  }
  func.func private @cumsum_0(%arg0: tensor<4x8xf64>) -> tensor<4x8xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %2 : tensor<f64>
    }) : (tensor<4x8xf64>, tensor<f64>) -> tensor<4x8xf64>
    return %1 : tensor<4x8xf64>
  }
}
