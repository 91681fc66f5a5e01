module @jit_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x256xf32>, %arg1: tensor<4x256x256xf32>, %arg2: tensor<4x256x256xf32>) -> (tensor<8x256xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<4x256x256xf32>, tensor<4x256x256xf32>, tensor<i32>, tensor<8x256xf32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_1, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<4x256x256xf32>, tensor<i32>) -> tensor<256x256xf32>
      %2 = func.call @dynamic_index_in_dim(%iterArg_0, %iterArg_1) : (tensor<4x256x256xf32>, tensor<i32>) -> tensor<256x256xf32>
      %3 = func.call @closed_call(%iterArg_2, %1, %2) : (tensor<8x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_1, %c_3 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %4, %3 : tensor<4x256x256xf32>, tensor<4x256x256xf32>, tensor<i32>, tensor<8x256xf32>
    }
    return %0#3 : tensor<8x256xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x256x256xf32>, %arg1: tensor<i32>) -> tensor<256x256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 256, 256] : (tensor<4x256x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x256x256xf32>) -> tensor<256x256xf32>
    return %1 : tensor<256x256xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x256xf32>, %arg1: tensor<256x256xf32>, %arg2: tensor<256x256xf32>) -> tensor<8x256xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
    return %1 : tensor<8x256xf32>
  }
}
