module @jit_layers attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<512x256xbf16>, %arg1: tensor<256x512xbf16>, %arg2: tensor<512x256xbf16>, %arg3: tensor<256xbf16>) -> (tensor<512x256xbf16> {jax.result_info = "result[0]"}, tensor<256xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<512x256xbf16>
    %1 = stablehlo.convert %0 : (tensor<512x256xbf16>) -> tensor<512x256xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<512xf32>) -> tensor<512x1xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<512x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<512x1xf32>
    %6 = stablehlo.convert %5 : (tensor<512x1xf32>) -> tensor<512x1xbf16>
    %cst_1 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<512x1xbf16>
    %8 = stablehlo.add %6, %7 : tensor<512x1xbf16>
    %9 = stablehlo.rsqrt %8 : tensor<512x1xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<512x1xbf16>) -> tensor<512x256xbf16>
    %11 = stablehlo.multiply %arg0, %10 : tensor<512x256xbf16>
    %12 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<256xbf16>) -> tensor<1x256xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x256xbf16>) -> tensor<512x256xbf16>
    %14 = stablehlo.multiply %11, %13 : tensor<512x256xbf16>
    %15 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x512xbf16>) -> tensor<512x512xbf16>
    %16 = call @silu(%15) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %17 = stablehlo.dot_general %16, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
    %18 = stablehlo.add %arg0, %17 : tensor<512x256xbf16>
    %19 = stablehlo.multiply %18, %18 : tensor<512x256xbf16>
    %20 = stablehlo.convert %19 : (tensor<512x256xbf16>) -> tensor<512x256xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<512xf32>) -> tensor<512x1xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<512x1xf32>
    %24 = stablehlo.divide %22, %23 : tensor<512x1xf32>
    %25 = stablehlo.convert %24 : (tensor<512x1xf32>) -> tensor<512x1xbf16>
    %cst_4 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<512x1xbf16>
    %27 = stablehlo.add %25, %26 : tensor<512x1xbf16>
    %28 = stablehlo.rsqrt %27 : tensor<512x1xbf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<512x1xbf16>) -> tensor<512x256xbf16>
    %30 = stablehlo.multiply %18, %29 : tensor<512x256xbf16>
    %31 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<256xbf16>) -> tensor<1x256xbf16>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x256xbf16>) -> tensor<512x256xbf16>
    %33 = stablehlo.multiply %30, %32 : tensor<512x256xbf16>
    %34 = stablehlo.dot_general %33, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x256xbf16>, tensor<256x512xbf16>) -> tensor<512x512xbf16>
    %35 = call @silu(%34) : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
    %36 = stablehlo.dot_general %35, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<512x512xbf16>, tensor<512x256xbf16>) -> tensor<512x256xbf16>
    %37 = stablehlo.add %18, %36 : tensor<512x256xbf16>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %38 = stablehlo.reduce(%37 init: %cst_5) applies stablehlo.maximum across dimensions = [0] : (tensor<512x256xbf16>, tensor<bf16>) -> tensor<256xbf16>
    return %37, %38 : tensor<512x256xbf16>, tensor<256xbf16>
  }
  func.func private @silu(%arg0: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<512x512xbf16>
    %1 = stablehlo.exponential %0 : tensor<512x512xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<512x512xbf16>
    %3 = stablehlo.add %2, %1 : tensor<512x512xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<512x512xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<512x512xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<512x512xbf16>
    return %6 : tensor<512x512xbf16>
  }
}
