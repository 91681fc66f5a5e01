module @jit_decode attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x128xf32>, %arg1: tensor<16x8x128xf32>, %arg2: tensor<16x8x128xf32>, %arg3: tensor<128x128xf32>, %arg4: tensor<128x128xf32>) -> (tensor<8x128xf32> {jax.result_info = "result[0][0]"}, tensor<16x8x128xf32> {jax.result_info = "result[0][1]"}, tensor<16x8x128xf32> {jax.result_info = "result[0][2]"}, tensor<6x8x128xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:8 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg3, %iterArg_1 = %arg4, %iterArg_2 = %c, %iterArg_3 = %arg0, %iterArg_4 = %arg1, %iterArg_5 = %arg2, %iterArg_6 = %1) : tensor<6xi32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<6x8x128xf32>
    cond {
      %c_7 = stablehlo.constant dense<6> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_2, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_2) : (tensor<6xi32>, tensor<i32>) -> tensor<i32>
      %4:4 = func.call @closed_call(%iterArg_0, %iterArg_1, %iterArg_3, %iterArg_4, %iterArg_5, %3) : (tensor<128x128xf32>, tensor<128x128xf32>, tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<i32>) -> (tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<8x128xf32>)
      %5 = func.call @dynamic_update_index_in_dim(%iterArg_6, %4#3, %iterArg_2) : (tensor<6x8x128xf32>, tensor<8x128xf32>, tensor<i32>) -> tensor<6x8x128xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_2, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %6, %4#0, %4#1, %4#2, %5 : tensor<6xi32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<6x8x128xf32>
    }
    return %2#4, %2#5, %2#6, %2#7 : tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<6x8x128xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6xi32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<6xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @closed_call(%arg0: tensor<128x128xf32>, %arg1: tensor<128x128xf32>, %arg2: tensor<8x128xf32>, %arg3: tensor<16x8x128xf32>, %arg4: tensor<16x8x128xf32>, %arg5: tensor<i32>) -> (tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<8x128xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<8x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare LT, %arg5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<16> : tensor<i32>
    %5 = stablehlo.add %arg5, %c_0 : tensor<i32>
    %6 = stablehlo.select %4, %5, %arg5 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.dynamic_update_slice %arg3, %3, %6, %c_1, %c_2 : (tensor<16x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x128xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %9 = stablehlo.add %0, %8 : tensor<8x128xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1, 2] : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.compare LT, %arg5, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<16> : tensor<i32>
    %12 = stablehlo.add %arg5, %c_5 : tensor<i32>
    %13 = stablehlo.select %11, %12, %arg5 : tensor<i1>, tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.dynamic_update_slice %arg4, %10, %13, %c_6, %c_7 : (tensor<16x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x128xf32>
    %15 = stablehlo.dot_general %0, %7, batching_dims = [0] x [1], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<16x8x128xf32>) -> tensor<8x16xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %18 = stablehlo.maximum %17, %16 : tensor<8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %21 = stablehlo.subtract %15, %20 : tensor<8x16xf32>
    %22 = stablehlo.exponential %21 : tensor<8x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
    %26 = stablehlo.divide %22, %25 : tensor<8x16xf32>
    %27 = stablehlo.dot_general %26, %14, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x8x128xf32>) -> tensor<8x128xf32>
    %28 = stablehlo.dot_general %27, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
    %29 = stablehlo.add %arg2, %28 : tensor<8x128xf32>
    return %29, %7, %14, %28 : tensor<8x128xf32>, tensor<16x8x128xf32>, tensor<16x8x128xf32>, tensor<8x128xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x8x128xf32>, %arg1: tensor<8x128xf32>, %arg2: tensor<i32>) -> tensor<6x8x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x8x128xf32>
    return %1 : tensor<6x8x128xf32>
  }
}
