module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>) -> (tensor<42xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.slice %0 [0:8:2, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = call @_pad(%1, %c) : (tensor<4x4xf32>, tensor<i32>) -> tensor<7x7xf32>
    %3 = stablehlo.slice %2 [1:7, 0:7] : (tensor<7x7xf32>) -> tensor<6x7xf32>
    %4 = stablehlo.reverse %3, dims = [1] : tensor<6x7xf32>
    %5 = stablehlo.reshape %4 : (tensor<6x7xf32>) -> tensor<42xf32>
    return %5 : tensor<42xf32>
  }
  func.func private @_pad(%arg0: tensor<4x4xf32>, %arg1: tensor<i32>) -> tensor<7x7xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [2, 3], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<7x7xf32>
    return %1 : tensor<7x7xf32>
  }
}
