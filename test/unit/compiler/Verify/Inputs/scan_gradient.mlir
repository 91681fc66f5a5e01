module @jit_scan_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x128xf32>, %arg1: tensor<3x128x256xf32>, %arg2: tensor<3x256x128xf32>) -> (tensor<8x128xf32> {jax.result_info = "result[0]"}, tensor<3x128x256xf32> {jax.result_info = "result[1]"}, tensor<3x256x128xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x8x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg1, %iterArg_5 = %arg2, %iterArg_6 = %c, %iterArg_7 = %arg0, %iterArg_8 = %0) : tensor<3x128x256xf32>, tensor<3x256x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<3x8x128xf32>
    cond {
      %c_9 = stablehlo.constant dense<3> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %10 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<3x128x256xf32>, tensor<i32>) -> tensor<128x256xf32>
      %11 = func.call @dynamic_index_in_dim_0(%iterArg_5, %iterArg_6) : (tensor<3x256x128xf32>, tensor<i32>) -> tensor<256x128xf32>
      %12:2 = func.call @closed_call(%iterArg_7, %10, %11) : (tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>)
      %13 = func.call @dynamic_update_index_in_dim(%iterArg_8, %12#1, %iterArg_6) : (tensor<3x8x128xf32>, tensor<8x128xf32>, tensor<i32>) -> tensor<3x8x128xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.add %iterArg_6, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_5, %14, %12#0, %13 : tensor<3x128x256xf32>, tensor<3x256x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<3x8x128xf32>
    }
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %4 = stablehlo.multiply %1#3, %3 : tensor<8x128xf32>
    %5 = stablehlo.multiply %3, %1#3 : tensor<8x128xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x128xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x128x256xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x256x128xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %9:8 = stablehlo.while(%iterArg = %2, %iterArg_5 = %1#4, %iterArg_6 = %arg1, %iterArg_7 = %arg2, %iterArg_8 = %c_4, %iterArg_9 = %6, %iterArg_10 = %7, %iterArg_11 = %8) : tensor<3xf32>, tensor<3x8x128xf32>, tensor<3x128x256xf32>, tensor<3x256x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<3x128x256xf32>, tensor<3x256x128xf32>
    cond {
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %10 = stablehlo.compare LT, %iterArg_8, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    } do {
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %10 = stablehlo.subtract %c_12, %iterArg_8 : tensor<i32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.subtract %10, %c_13 : tensor<i32>
      %12 = func.call @dynamic_index_in_dim_1(%iterArg, %11) : (tensor<3xf32>, tensor<i32>) -> tensor<f32>
      %13 = func.call @dynamic_index_in_dim_2(%iterArg_5, %11) : (tensor<3x8x128xf32>, tensor<i32>) -> tensor<8x128xf32>
      %14 = func.call @dynamic_index_in_dim(%iterArg_6, %11) : (tensor<3x128x256xf32>, tensor<i32>) -> tensor<128x256xf32>
      %15 = func.call @dynamic_index_in_dim_0(%iterArg_7, %11) : (tensor<3x256x128xf32>, tensor<i32>) -> tensor<256x128xf32>
      %16:3 = func.call @closed_call_3(%iterArg_9, %12, %13, %14, %15) : (tensor<8x128xf32>, tensor<f32>, tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>) -> (tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>)
      %17 = func.call @dynamic_update_index_in_dim_4(%iterArg_10, %16#1, %11) : (tensor<3x128x256xf32>, tensor<128x256xf32>, tensor<i32>) -> tensor<3x128x256xf32>
      %18 = func.call @dynamic_update_index_in_dim_5(%iterArg_11, %16#2, %11) : (tensor<3x256x128xf32>, tensor<256x128xf32>, tensor<i32>) -> tensor<3x256x128xf32>
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg_8, %c_14 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_5, %iterArg_6, %iterArg_7, %19, %16#0, %17, %18 : tensor<3xf32>, tensor<3x8x128xf32>, tensor<3x128x256xf32>, tensor<3x256x128xf32>, tensor<i32>, tensor<8x128xf32>, tensor<3x128x256xf32>, tensor<3x256x128xf32>
    }
    return %9#5, %9#6, %9#7 : tensor<8x128xf32>, tensor<3x128x256xf32>, tensor<3x256x128xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x128x256xf32>, %arg1: tensor<i32>) -> tensor<128x256xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 128, 256] : (tensor<3x128x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x256xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x128x256xf32>) -> tensor<128x256xf32>
    return %1 : tensor<128x256xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<3x256x128xf32>, %arg1: tensor<i32>) -> tensor<256x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 256, 128] : (tensor<3x256x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x256x128xf32>) -> tensor<256x128xf32>
    return %1 : tensor<256x128xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x128xf32>, %arg1: tensor<128x256xf32>, %arg2: tensor<256x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x256xf32>) -> tensor<8x256xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x256xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<8x256xf32>
    %cst = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<8x256xf32>
    %5 = stablehlo.add %0, %4 : tensor<8x256xf32>
    %cst_0 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<8x256xf32>
    %8 = stablehlo.tanh %7 : tensor<8x256xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %10 = stablehlo.add %9, %8 : tensor<8x256xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<8x256xf32>
    %13 = stablehlo.multiply %0, %12 : tensor<8x256xf32>
    %14 = stablehlo.dot_general %13, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<256x128xf32>) -> tensor<8x128xf32>
    %15 = stablehlo.add %arg0, %14 : tensor<8x128xf32>
    return %15, %arg0 : tensor<8x128xf32>, tensor<8x128xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x8x128xf32>, %arg1: tensor<8x128xf32>, %arg2: tensor<i32>) -> tensor<3x8x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x8x128xf32>
    return %1 : tensor<3x8x128xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<3x8x128xf32>, %arg1: tensor<i32>) -> tensor<8x128xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 128] : (tensor<3x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
    return %1 : tensor<8x128xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<8x128xf32>, %arg1: tensor<f32>, %arg2: tensor<8x128xf32>, %arg3: tensor<128x256xf32>, %arg4: tensor<256x128xf32>) -> (tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>) {
    %0:5 = stablehlo.optimization_barrier %arg2, %arg3, %arg4, %arg0, %arg1 : tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>, tensor<8x128xf32>, tensor<f32>
    %1 = stablehlo.dot_general %0#0, %0#1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x256xf32>) -> tensor<8x256xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<8x256xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<8x256xf32>
    %4 = stablehlo.multiply %1, %1 : tensor<8x256xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %6 = stablehlo.multiply %5, %4 : tensor<8x256xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %8 = stablehlo.multiply %7, %3 : tensor<8x256xf32>
    %9 = stablehlo.add %1, %8 : tensor<8x256xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<8x256xf32>
    %12 = stablehlo.tanh %11 : tensor<8x256xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %14 = stablehlo.subtract %13, %12 : tensor<8x256xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %16 = stablehlo.add %15, %12 : tensor<8x256xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<8x256xf32>
    %19 = stablehlo.multiply %1, %18 : tensor<8x256xf32>
    %20 = stablehlo.broadcast_in_dim %0#4, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %21 = stablehlo.dot_general %0#3, %19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<8x256xf32>) -> tensor<128x256xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<128x256xf32>) -> tensor<256x128xf32>
    %23 = stablehlo.dot_general %0#3, %0#2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<256x128xf32>) -> tensor<8x256xf32>
    %24 = stablehlo.add %20, %23 : tensor<8x256xf32>
    %25 = stablehlo.multiply %1, %24 : tensor<8x256xf32>
    %26 = stablehlo.multiply %24, %18 : tensor<8x256xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %28 = stablehlo.multiply %27, %25 : tensor<8x256xf32>
    %29 = stablehlo.multiply %28, %14 : tensor<8x256xf32>
    %30 = stablehlo.multiply %29, %12 : tensor<8x256xf32>
    %31 = stablehlo.add %29, %30 : tensor<8x256xf32>
    %cst_6 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<8x256xf32>
    %34 = stablehlo.add %26, %33 : tensor<8x256xf32>
    %cst_7 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x256xf32>
    %36 = stablehlo.multiply %35, %33 : tensor<8x256xf32>
    %37 = stablehlo.multiply %36, %6 : tensor<8x256xf32>
    %38 = stablehlo.add %34, %37 : tensor<8x256xf32>
    %39 = stablehlo.dot_general %38, %0#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<8x128xf32>) -> tensor<256x128xf32>
    %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
    %41 = stablehlo.dot_general %38, %0#1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x256xf32>, tensor<128x256xf32>) -> tensor<8x128xf32>
    %42 = stablehlo.add %0#3, %41 : tensor<8x128xf32>
    return %42, %40, %22 : tensor<8x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<3x128x256xf32>, %arg1: tensor<128x256xf32>, %arg2: tensor<i32>) -> tensor<3x128x256xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<128x256xf32>) -> tensor<1x128x256xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x128x256xf32>, tensor<1x128x256xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x128x256xf32>
    return %1 : tensor<3x128x256xf32>
  }
  func.func private @dynamic_update_index_in_dim_5(%arg0: tensor<3x256x128xf32>, %arg1: tensor<256x128xf32>, %arg2: tensor<i32>) -> tensor<3x256x128xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<256x128xf32>) -> tensor<1x256x128xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x256x128xf32>, tensor<1x256x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x256x128xf32>
    return %1 : tensor<3x256x128xf32>
  }
}
