// What JAX 0.10.2 makes of the functions in Inputs/from_jax.py, as it prints it, comes
// back letter for letter. Written by: python3 Inputs/from_jax.py > from_jax.mlir
//
// RUN: grep -v -e '^//' -e '^$' %s > %t.expected
// RUN: %systole-opt --split-input-file %s | grep -v -e '^//' -e '^$' > %t.printed
// RUN: diff %t.expected %t.printed

module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32x10xf32>, %arg3: tensor<10xf32>, %arg4: tensor<64x32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<32x10xf32>, %arg7: tensor<10xf32>, %arg8: tensor<64x32xf32>, %arg9: tensor<32xf32>, %arg10: tensor<32x10xf32>, %arg11: tensor<10xf32>, %arg12: tensor<f32>, %arg13: tensor<16x64xf32>, %arg14: tensor<16x10xi1>) -> (tensor<64x32xf32> {jax.result_info = "result[0][0][0]"}, tensor<32xf32> {jax.result_info = "result[0][0][1]"}, tensor<32x10xf32> {jax.result_info = "result[0][1][0]"}, tensor<10xf32> {jax.result_info = "result[0][1][1]"}, tensor<64x32xf32> {jax.result_info = "result[1][0][0]"}, tensor<32xf32> {jax.result_info = "result[1][0][1]"}, tensor<32x10xf32> {jax.result_info = "result[1][1][0]"}, tensor<10xf32> {jax.result_info = "result[1][1][1]"}, tensor<64x32xf32> {jax.result_info = "result[2][0][0]"}, tensor<32xf32> {jax.result_info = "result[2][0][1]"}, tensor<32x10xf32> {jax.result_info = "result[2][1][0]"}, tensor<10xf32> {jax.result_info = "result[2][1][1]"}, tensor<f32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.dot_general %arg13, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %3 = stablehlo.add %0, %2 : tensor<16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<16x32xf32>
    %6 = stablehlo.compare EQ, %3, %5, FLOAT : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %9 = stablehlo.select %6, %7, %8 : tensor<16x32xi1>, tensor<16x32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %11 = stablehlo.compare EQ, %10, %5, FLOAT : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %14 = stablehlo.select %11, %12, %13 : tensor<16x32xi1>, tensor<16x32xf32>
    %15 = stablehlo.divide %9, %14 : tensor<16x32xf32>
    %16 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x10xf32>) -> tensor<16x10xf32>
    %17 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<16x10xf32>
    %19 = stablehlo.add %16, %18 : tensor<16x10xf32>
    %20:3 = call @log_softmax(%19) : (tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>)
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = call @_where(%arg14, %20#0, %cst_5) : (tensor<16x10xi1>, tensor<16x10xf32>, tensor<f32>) -> tensor<16x10xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %24 = stablehlo.divide %23, %cst_8 : tensor<f32>
    %25 = stablehlo.negate %24 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.negate %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %27 = stablehlo.divide %26, %cst_10 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<16xf32>) -> tensor<16x10xf32>
    %30 = call @_where_0(%arg14, %29) : (tensor<16x10xi1>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %31 = call @log_softmax_1(%20#1, %20#2, %30) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<16x10xf32>, tensor<f32>) -> tensor<10xf32>
    %33 = stablehlo.reshape %32 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %35 = stablehlo.dot_general %31, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<16x32xf32>) -> tensor<10x32xf32>
    %36 = stablehlo.transpose %35, dims = [1, 0] : (tensor<10x32xf32>) -> tensor<32x10xf32>
    %37 = stablehlo.dot_general %31, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<32x10xf32>) -> tensor<16x32xf32>
    %38 = stablehlo.multiply %37, %15 : tensor<16x32xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %40 = stablehlo.reshape %39 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %42 = stablehlo.dot_general %38, %arg13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %45 = stablehlo.multiply %44, %arg4 : tensor<64x32xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %47 = stablehlo.multiply %46, %43 : tensor<64x32xf32>
    %48 = stablehlo.add %45, %47 : tensor<64x32xf32>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %50 = stablehlo.multiply %49, %arg5 : tensor<32xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %52 = stablehlo.multiply %51, %41 : tensor<32xf32>
    %53 = stablehlo.add %50, %52 : tensor<32xf32>
    %cst_19 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %55 = stablehlo.multiply %54, %arg6 : tensor<32x10xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %57 = stablehlo.multiply %56, %36 : tensor<32x10xf32>
    %58 = stablehlo.add %55, %57 : tensor<32x10xf32>
    %cst_21 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %60 = stablehlo.multiply %59, %arg7 : tensor<10xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %62 = stablehlo.multiply %61, %34 : tensor<10xf32>
    %63 = stablehlo.add %60, %62 : tensor<10xf32>
    %cst_23 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %65 = stablehlo.multiply %64, %arg8 : tensor<64x32xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %67 = stablehlo.multiply %66, %43 : tensor<64x32xf32>
    %68 = stablehlo.multiply %67, %43 : tensor<64x32xf32>
    %69 = stablehlo.add %65, %68 : tensor<64x32xf32>
    %cst_25 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %71 = stablehlo.multiply %70, %arg9 : tensor<32xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %73 = stablehlo.multiply %72, %41 : tensor<32xf32>
    %74 = stablehlo.multiply %73, %41 : tensor<32xf32>
    %75 = stablehlo.add %71, %74 : tensor<32xf32>
    %cst_27 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %77 = stablehlo.multiply %76, %arg10 : tensor<32x10xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %79 = stablehlo.multiply %78, %36 : tensor<32x10xf32>
    %80 = stablehlo.multiply %79, %36 : tensor<32x10xf32>
    %81 = stablehlo.add %77, %80 : tensor<32x10xf32>
    %cst_29 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %83 = stablehlo.multiply %82, %arg11 : tensor<10xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %85 = stablehlo.multiply %84, %34 : tensor<10xf32>
    %86 = stablehlo.multiply %85, %34 : tensor<10xf32>
    %87 = stablehlo.add %83, %86 : tensor<10xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.add %arg12, %cst_31 : tensor<f32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %89 = stablehlo.power %cst_32, %88 : tensor<f32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.subtract %cst_33, %89 : tensor<f32>
    %cst_34 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %91 = stablehlo.divide %cst_34, %90 : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %93 = stablehlo.multiply %92, %48 : tensor<64x32xf32>
    %cst_35 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %95 = stablehlo.add %69, %94 : tensor<64x32xf32>
    %96 = stablehlo.rsqrt %95 : tensor<64x32xf32>
    %97 = stablehlo.multiply %93, %96 : tensor<64x32xf32>
    %98 = stablehlo.subtract %arg0, %97 : tensor<64x32xf32>
    %99 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %100 = stablehlo.multiply %99, %53 : tensor<32xf32>
    %cst_36 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %102 = stablehlo.add %75, %101 : tensor<32xf32>
    %103 = stablehlo.rsqrt %102 : tensor<32xf32>
    %104 = stablehlo.multiply %100, %103 : tensor<32xf32>
    %105 = stablehlo.subtract %arg1, %104 : tensor<32xf32>
    %106 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %107 = stablehlo.multiply %106, %58 : tensor<32x10xf32>
    %cst_37 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %109 = stablehlo.add %81, %108 : tensor<32x10xf32>
    %110 = stablehlo.rsqrt %109 : tensor<32x10xf32>
    %111 = stablehlo.multiply %107, %110 : tensor<32x10xf32>
    %112 = stablehlo.subtract %arg2, %111 : tensor<32x10xf32>
    %113 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %114 = stablehlo.multiply %113, %63 : tensor<10xf32>
    %cst_38 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %116 = stablehlo.add %87, %115 : tensor<10xf32>
    %117 = stablehlo.rsqrt %116 : tensor<10xf32>
    %118 = stablehlo.multiply %114, %117 : tensor<10xf32>
    %119 = stablehlo.subtract %arg3, %118 : tensor<10xf32>
    return %98, %105, %112, %119, %48, %53, %58, %63, %69, %75, %81, %87, %25 : tensor<64x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<64x32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<10xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x10xf32>
    %6 = stablehlo.exponential %5 : tensor<16x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %9 = stablehlo.log %8 : tensor<16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<16x10xf32>
    return %11, %6, %8 : tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>
  }
  func.func private @_where(%arg0: tensor<16x10xi1>, %arg1: tensor<16x10xf32>, %arg2: tensor<f32>) -> tensor<16x10xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16x10xi1>, tensor<16x10xf32>
    return %2 : tensor<16x10xf32>
  }
  func.func private @_where_0(%arg0: tensor<16x10xi1>, %arg1: tensor<16x10xf32>) -> tensor<16x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<16x10xi1>, tensor<16x10xf32>
    return %1 : tensor<16x10xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xf32>, %arg2: tensor<16x10xf32>) -> tensor<16x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<16x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xf32>) -> tensor<16x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<16x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x10xf32>
    return %7 : tensor<16x10xf32>
  }
}

// -----

module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7x3x8xbf16>, %arg1: tensor<2x7x3x8xbf16>, %arg2: tensor<2x7x3x8xbf16>) -> (tensor<2x7x3x8xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x7x3x8xbf16>, tensor<2x7x3x8xbf16>) -> tensor<2x3x7x7xf32>
    %1 = stablehlo.iota dim = 2 : tensor<2x3x7x7xi32>
    %2 = stablehlo.iota dim = 3 : tensor<2x3x7x7xi32>
    %3 = stablehlo.compare GE, %1, %2, SIGNED : (tensor<2x3x7x7xi32>, tensor<2x3x7x7xi32>) -> tensor<2x3x7x7xi1>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = call @_where(%3, %0, %cst) : (tensor<2x3x7x7xi1>, tensor<2x3x7x7xf32>, tensor<f32>) -> tensor<2x3x7x7xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x7x7xf32>, tensor<f32>) -> tensor<2x3x7xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x7xf32>
    %7 = stablehlo.maximum %6, %5 : tensor<2x3x7xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x3x7xf32>) -> tensor<2x3x7x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<2x3x7x1xf32>) -> tensor<2x3x7x7xf32>
    %10 = stablehlo.subtract %4, %9 : tensor<2x3x7x7xf32>
    %11 = stablehlo.exponential %10 : tensor<2x3x7x7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<2x3x7x7xf32>, tensor<f32>) -> tensor<2x3x7xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x3x7xf32>) -> tensor<2x3x7x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<2x3x7x1xf32>) -> tensor<2x3x7x7xf32>
    %15 = stablehlo.divide %11, %14 : tensor<2x3x7x7xf32>
    %16 = stablehlo.convert %15 : (tensor<2x3x7x7xf32>) -> tensor<2x3x7x7xbf16>
    %17 = stablehlo.dot_general %arg2, %16, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x7x3x8xbf16>, tensor<2x3x7x7xbf16>) -> tensor<2x3x8x7xbf16>
    %18 = stablehlo.transpose %17, dims = [0, 3, 1, 2] : (tensor<2x3x8x7xbf16>) -> tensor<2x7x3x8xbf16>
    return %18 : tensor<2x7x3x8xbf16>
  }
  func.func private @_where(%arg0: tensor<2x3x7x7xi1>, %arg1: tensor<2x3x7x7xf32>, %arg2: tensor<f32>) -> tensor<2x3x7x7xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x3x7x7xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x3x7x7xi1>, tensor<2x3x7x7xf32>
    return %2 : tensor<2x3x7x7xf32>
  }
}

// -----

module @jit_embed attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<50x16xf32>, %arg1: tensor<9xi32>, %arg2: tensor<i32>) -> (tensor<1x16xf32> {jax.result_info = "result"}) {
    %0 = call @_take(%arg0, %arg1) : (tensor<50x16xf32>, tensor<9xi32>) -> tensor<9x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<9x16xf32>, tensor<f32>) -> tensor<9xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<9x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x16xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<9x16xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<9x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<9x16xf32>, tensor<f32>) -> tensor<9xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<9xf32>) -> tensor<9x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<9x1xf32>
    %12 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x16xf32>
    %13 = stablehlo.subtract %0, %12 : tensor<9x16xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9x1xf32>
    %15 = stablehlo.add %11, %14 : tensor<9x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<9x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<9x1xf32>) -> tensor<9x16xf32>
    %18 = stablehlo.multiply %13, %17 : tensor<9x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<9> : tensor<i32>
    %20 = stablehlo.add %arg2, %c_4 : tensor<i32>
    %21 = stablehlo.select %19, %20, %arg2 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.dynamic_slice %18, %21, %c_5, sizes = [1, 16] : (tensor<9x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    return %22 : tensor<1x16xf32>
  }
  func.func private @_take(%arg0: tensor<50x16xf32>, %arg1: tensor<9xi32>) -> tensor<9x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<9xi32>) -> tensor<9x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<50x16xf32>, tensor<9x1xi32>) -> tensor<9x16xf32>
    return %1 : tensor<9x16xf32>
  }
}

// -----

module @jit_fill_cache attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<i32>) -> (tensor<8x4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %arg1, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<i32>, tensor<8x4xf32>, tensor<i32>, tensor<8x4xf32>
    cond {
      %5 = stablehlo.convert %iterArg_2 : tensor<i32>
      %6 = stablehlo.compare LT, %5, %iterArg, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %5 = func.call @dynamic_index_in_dim(%iterArg_1, %iterArg_2) : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %iterArg_2, %c_4 : tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %8 = stablehlo.convert %iterArg_2 : tensor<i32>
      %c_6 = stablehlo.constant dense<8> : tensor<i32>
      %9 = stablehlo.add %8, %c_6 : tensor<i32>
      %10 = stablehlo.select %7, %9, %iterArg_2 : tensor<i1>, tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.dynamic_update_slice %iterArg_3, %5, %10, %c_7 : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      stablehlo.return %iterArg, %iterArg_1, %6, %11 : tensor<i32>, tensor<8x4xf32>, tensor<i32>, tensor<8x4xf32>
    }
    %1 = stablehlo.slice %0#3 [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4:4 = stablehlo.while(%iterArg = %0#3, %iterArg_1 = %c_0, %iterArg_2 = %2, %iterArg_3 = %3) : tensor<8x4xf32>, tensor<i32>, tensor<4xf32>, tensor<8xf32>
    cond {
      %c_4 = stablehlo.constant dense<8> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = func.call @dynamic_index_in_dim_0(%iterArg, %iterArg_1) : (tensor<8x4xf32>, tensor<i32>) -> tensor<4xf32>
      %6:2 = func.call @closed_call(%iterArg_2, %5) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
      %7 = func.call @dynamic_update_index_in_dim(%iterArg_3, %6#1, %iterArg_1) : (tensor<8xf32>, tensor<f32>, tensor<i32>) -> tensor<8xf32>
      %c_4 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_1, %c_4 : tensor<i32>
      stablehlo.return %iterArg, %8, %6#0, %7 : tensor<8x4xf32>, tensor<i32>, tensor<4xf32>, tensor<8xf32>
    }
    return %0#3, %4#2, %4#3 : tensor<8x4xf32>, tensor<4xf32>, tensor<8xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<8x4xf32>, %arg1: tensor<i32>) -> tensor<1x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.convert %arg1 : tensor<i32>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.add %1, %c_0 : tensor<i32>
    %3 = stablehlo.select %0, %2, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.dynamic_slice %arg0, %3, %c_1, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    return %4 : tensor<1x4xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<8x4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0, %2 : tensor<4xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<8xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<8xf32>, tensor<1xf32>, tensor<i32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

// -----

module @jit_choose attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<i1>, %arg2: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg0, %c_0 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      stablehlo.return %arg2 : tensor<5x3xf32>
    }, {
      %4 = stablehlo.negate %arg2 : tensor<5x3xf32>
      stablehlo.return %4 : tensor<5x3xf32>
    }, {
      %4 = stablehlo.tanh %arg2 : tensor<5x3xf32>
      stablehlo.return %4 : tensor<5x3xf32>
    }) : (tensor<i32>) -> tensor<5x3xf32>
    %2 = stablehlo.convert %arg1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %4 = stablehlo.optimization_barrier %1 : tensor<5x3xf32>
      stablehlo.return %4 : tensor<5x3xf32>
    }, {
      %4 = func.call @_flip(%1) : (tensor<5x3xf32>) -> tensor<5x3xf32>
      stablehlo.return %4 : tensor<5x3xf32>
    }) : (tensor<i32>) -> tensor<5x3xf32>
    return %3 : tensor<5x3xf32>
  }
  func.func private @_flip(%arg0: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}

// -----

module @jit_functions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x5xf32>) -> (tensor<3x5xf32> {jax.result_info = "result[0]"}, tensor<3x5xf32> {jax.result_info = "result[1]"}, tensor<3x5xf32> {jax.result_info = "result[2]"}, tensor<3x5xf32> {jax.result_info = "result[3]"}, tensor<3x5xf32> {jax.result_info = "result[4]"}, tensor<3x5xf32> {jax.result_info = "result[5]"}, tensor<3x5xf32> {jax.result_info = "result[6]"}, tensor<3x5xf32> {jax.result_info = "result[7]"}, tensor<3x5xf32> {jax.result_info = "result[8]"}, tensor<3x5xf32> {jax.result_info = "result[9]"}, tensor<3x5xf32> {jax.result_info = "result[10]"}, tensor<3x5xf32> {jax.result_info = "result[11]"}, tensor<3x5xf32> {jax.result_info = "result[12]"}, tensor<3x5xf32> {jax.result_info = "result[13]"}, tensor<3x5xf32> {jax.result_info = "result[14]"}, tensor<3x5xf32> {jax.result_info = "result[15]"}, tensor<3x5xi1> {jax.result_info = "result[16]"}, tensor<3x5xf32> {jax.result_info = "result[17]"}, tensor<3x5xf32> {jax.result_info = "result[18]"}, tensor<3x5xf32> {jax.result_info = "result[19]"}, tensor<3x5xf32> {jax.result_info = "result[20]"}, tensor<3x5xf32> {jax.result_info = "result[21]"}, tensor<3x5xf32> {jax.result_info = "result[22]"}, tensor<3x5xf32> {jax.result_info = "result[23]"}, tensor<3x5xf32> {jax.result_info = "result[24]"}, tensor<3x5xf32> {jax.result_info = "result[25]"}, tensor<3x5xf32> {jax.result_info = "result[26]"}, tensor<3x5xf32> {jax.result_info = "result[27]"}, tensor<3x5xf32> {jax.result_info = "result[28]"}, tensor<3x5xf32> {jax.result_info = "result[29]"}, tensor<3x5xi1> {jax.result_info = "result[30]"}, tensor<3x5xi1> {jax.result_info = "result[31]"}, tensor<3x5xi1> {jax.result_info = "result[32]"}, tensor<3x5xi1> {jax.result_info = "result[33]"}, tensor<3x5xi1> {jax.result_info = "result[34]"}, tensor<3x5xi1> {jax.result_info = "result[35]"}, tensor<3x5xf32> {jax.result_info = "result[36]"}, tensor<3x5xf32> {jax.result_info = "result[37]"}) {
    %0 = stablehlo.abs %arg0 : tensor<3x5xf32>
    %1 = stablehlo.negate %arg0 : tensor<3x5xf32>
    %2 = stablehlo.sign %arg0 : tensor<3x5xf32>
    %3 = stablehlo.ceil %arg0 : tensor<3x5xf32>
    %4 = stablehlo.floor %arg0 : tensor<3x5xf32>
    %5 = stablehlo.exponential %arg0 : tensor<3x5xf32>
    %6 = stablehlo.exponential_minus_one %arg0 : tensor<3x5xf32>
    %7 = stablehlo.log %arg0 : tensor<3x5xf32>
    %8 = stablehlo.log_plus_one %arg0 : tensor<3x5xf32>
    %9 = stablehlo.tanh %arg0 : tensor<3x5xf32>
    %10 = stablehlo.rsqrt %arg0 : tensor<3x5xf32>
    %11 = stablehlo.sqrt %arg0 : tensor<3x5xf32>
    %12 = stablehlo.cbrt %arg0 : tensor<3x5xf32>
    %13 = stablehlo.negate %arg0 : tensor<3x5xf32>
    %14 = stablehlo.exponential %13 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %16 = stablehlo.add %15, %14 : tensor<3x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %18 = stablehlo.divide %17, %16 : tensor<3x5xf32>
    %19 = stablehlo.sine %arg0 : tensor<3x5xf32>
    %20 = stablehlo.cosine %arg0 : tensor<3x5xf32>
    %21 = stablehlo.is_finite %arg0 : (tensor<3x5xf32>) -> tensor<3x5xi1>
    %22 = stablehlo.round_nearest_afz %arg0 : tensor<3x5xf32>
    %23 = stablehlo.round_nearest_even %arg0 : tensor<3x5xf32>
    %24 = stablehlo.exponential %arg0 : tensor<3x5xf32>
    %25 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<3x5xf32>
    %26 = stablehlo.tan %arg0 : tensor<3x5xf32>
    %27 = stablehlo.tan %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-03, rtol = 2.500000e-01, ulps = 4, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3x5xf32>
    %28 = stablehlo.add %arg0, %arg1 : tensor<3x5xf32>
    %29 = stablehlo.subtract %arg0, %arg1 : tensor<3x5xf32>
    %30 = stablehlo.multiply %arg0, %arg1 : tensor<3x5xf32>
    %31 = stablehlo.divide %arg0, %arg1 : tensor<3x5xf32>
    %32 = stablehlo.remainder %arg0, %arg1 : tensor<3x5xf32>
    %33 = stablehlo.maximum %arg0, %arg1 : tensor<3x5xf32>
    %34 = stablehlo.minimum %arg0, %arg1 : tensor<3x5xf32>
    %35 = stablehlo.power %arg0, %arg1 : tensor<3x5xf32>
    %36 = stablehlo.atan2 %arg0, %arg1 : tensor<3x5xf32>
    %37 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %38 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %39 = stablehlo.compare GE, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %40 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %41 = stablehlo.compare LE, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %42 = stablehlo.compare LT, %arg0, %arg1, FLOAT : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %44 = stablehlo.clamp %43, %arg0, %arg1 : tensor<3x5xf32>
    %45 = stablehlo.negate %arg1 : tensor<3x5xf32>
    %46 = stablehlo.clamp %45, %arg0, %arg1 : tensor<3x5xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %18, %19, %20, %21, %22, %23, %25, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %44, %46 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>
  }
}

// -----

module @jit_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xi32>, %arg1: tensor<6xui16>, %arg2: tensor<6xi1>) -> (tensor<6xi32> {jax.result_info = "result[0]"}, tensor<6xi32> {jax.result_info = "result[1]"}, tensor<6xi32> {jax.result_info = "result[2]"}, tensor<6xi32> {jax.result_info = "result[3]"}, tensor<6xi32> {jax.result_info = "result[4]"}, tensor<6xi32> {jax.result_info = "result[5]"}, tensor<6xui16> {jax.result_info = "result[6]"}, tensor<6xui16> {jax.result_info = "result[7]"}, tensor<6xui16> {jax.result_info = "result[8]"}, tensor<6xi1> {jax.result_info = "result[9]"}, tensor<6xi1> {jax.result_info = "result[10]"}, tensor<6xi1> {jax.result_info = "result[11]"}, tensor<6xi1> {jax.result_info = "result[12]"}, tensor<6xi1> {jax.result_info = "result[13]"}, tensor<6xi1> {jax.result_info = "result[14]"}, tensor<6xf32> {jax.result_info = "result[15]"}, tensor<6x2xui8> {jax.result_info = "result[16]"}, tensor<6xbf16> {jax.result_info = "result[17]"}, tensor<6xi1> {jax.result_info = "result[18]"}, tensor<6xi8> {jax.result_info = "result[19]"}) {
    %0 = stablehlo.and %arg0, %arg0 : tensor<6xi32>
    %1 = stablehlo.or %arg0, %arg0 : tensor<6xi32>
    %2 = stablehlo.xor %arg0, %arg0 : tensor<6xi32>
    %3 = stablehlo.shift_left %arg0, %arg0 : tensor<6xi32>
    %4 = stablehlo.shift_right_arithmetic %arg0, %arg0 : tensor<6xi32>
    %5 = stablehlo.shift_right_logical %arg0, %arg0 : tensor<6xi32>
    %6 = stablehlo.not %arg1 : tensor<6xui16>
    %7 = stablehlo.popcnt %arg1 : tensor<6xui16>
    %8 = stablehlo.count_leading_zeros %arg1 : tensor<6xui16>
    %9 = stablehlo.not %arg2 : tensor<6xi1>
    %10 = stablehlo.and %arg2, %9 : tensor<6xi1>
    %11 = stablehlo.or %arg2, %arg2 : tensor<6xi1>
    %12 = stablehlo.xor %arg2, %arg2 : tensor<6xi1>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %14 = stablehlo.compare LT, %arg0, %13, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %15 = stablehlo.compare GE, %arg1, %arg1, UNSIGNED : (tensor<6xui16>, tensor<6xui16>) -> tensor<6xi1>
    %16 = stablehlo.compare EQ, %arg2, %arg2, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %17 = stablehlo.bitcast_convert %arg0 : (tensor<6xi32>) -> tensor<6xf32>
    %18 = stablehlo.bitcast_convert %arg1 : (tensor<6xui16>) -> tensor<6x2xui8>
    %19 = stablehlo.convert %arg0 : (tensor<6xi32>) -> tensor<6xbf16>
    %c_0 = stablehlo.constant dense<0> : tensor<ui16>
    %20 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui16>) -> tensor<6xui16>
    %21 = stablehlo.compare NE, %arg1, %20, UNSIGNED : (tensor<6xui16>, tensor<6xui16>) -> tensor<6xi1>
    %22 = stablehlo.convert %21 : tensor<6xi1>
    %23 = stablehlo.convert %arg2 : (tensor<6xi1>) -> tensor<6xi8>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %10, %11, %12, %14, %15, %16, %17, %18, %19, %22, %23 : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xui16>, tensor<6xui16>, tensor<6xui16>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xf32>, tensor<6x2xui8>, tensor<6xbf16>, tensor<6xi1>, tensor<6xi8>
  }
}

// -----

module @jit_movement attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1xf32>) -> (tensor<7x14xf32> {jax.result_info = "result[0]"}, tensor<4x17xf32> {jax.result_info = "result[1]"}, tensor<2x2x8xf32> {jax.result_info = "result[2]"}, tensor<8x4xf32> {jax.result_info = "result[3]"}, tensor<4x8xf32> {jax.result_info = "result[4]"}, tensor<2x3xf32> {jax.result_info = "result[5]"}, tensor<3x4x8xf32> {jax.result_info = "result[6]"}, tensor<8xf32> {jax.result_info = "result[7]"}, tensor<f32> {jax.result_info = "result[8]"}, tensor<4xi1> {jax.result_info = "result[9]"}, tensor<4xi1> {jax.result_info = "result[10]"}, tensor<4xi32> {jax.result_info = "result[11]"}, tensor<4x1xf32> {jax.result_info = "result[12]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, -1], high = [2, 0], interior = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x14xf32>
    %1 = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 1 : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x17xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %4 = call @_flip(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.slice %arg0 [1:3, 0:8:3] : (tensor<4x8xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.slice %arg0 [0:4, 0:1] : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<4x1xf32>) -> tensor<3x4x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%arg0 init: %cst_1) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %11 = stablehlo.compare GT, %arg0, %10, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c) applies stablehlo.or across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %14 = stablehlo.compare GT, %arg0, %13, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    %c_4 = stablehlo.constant dense<true> : tensor<i1>
    %15 = stablehlo.reduce(%14 init: %c_4) applies stablehlo.and across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
    %16 = call @argmin(%arg0) : (tensor<4x8xf32>) -> tensor<4xi32>
    %17 = call @argmax(%arg0) : (tensor<4x8xf32>) -> tensor<4xi32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %19 = call @take_along_axis(%arg0, %18) : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    return %0, %1, %2, %3, %4, %5, %7, %8, %9, %12, %15, %16, %19 : tensor<7x14xf32>, tensor<4x17xf32>, tensor<2x2x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<2x3xf32>, tensor<3x4x8xf32>, tensor<8xf32>, tensor<f32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4x1xf32>
  }
  func.func private @_flip(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @argmin(%arg0: tensor<4x8xf32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare LT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
  func.func private @argmax(%arg0: tensor<4x8xf32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x8xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x1xi1>, tensor<4x1xf32>
    return %15 : tensor<4x1xf32>
  }
}

// -----

module @jit_contractions attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x2xf32>) -> (tensor<4x2xf32> {jax.result_info = "result[0]"}, tensor<4x2xf32> {jax.result_info = "result[1]"}, tensor<4x2xf32> {jax.result_info = "result[2]"}, tensor<4x2xf32> {jax.result_info = "result[3]"}, tensor<4x2xf32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, HIGH] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %4 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    return %0, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }
}

// -----

module @jit_windows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9x8xf32>, %arg1: tensor<4xui32>) -> (tensor<2x9x8xf32> {jax.result_info = "result[0][0]"}, tensor<2x9x8xf32> {jax.result_info = "result[1]"}, tensor<2x9x8xi32> {jax.result_info = "result[2]"}, tensor<2x9x8xf32> {jax.result_info = "result[3][0]"}, tensor<2x9x8xf32> {jax.result_info = "result[3][1]"}, tensor<4xui32> {jax.result_info = "result[4]"}, tensor<3x5xui32> {jax.result_info = "result[5]"}, tensor<4xui32> {jax.result_info = "result[6][0]"}, tensor<2xui32> {jax.result_info = "result[6][1]"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %16 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<2x9x8xf32>, tensor<f32>) -> tensor<2x5x4xf32>
    %2 = stablehlo.reshape %arg1 : (tensor<4xui32>) -> tensor<2x2xui32>
    %3 = stablehlo.bitcast_convert %2 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %3, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    %4 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %5 = stablehlo.reshape %4 : (tensor<2x2xui32>) -> tensor<4xui32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.pad %arg0, %cst_0, low = [0, 1, 0], high = [0, 1, 1], interior = [0, 0, 0] : (tensor<2x9x8xf32>, tensor<f32>) -> tensor<2x11x9xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = "stablehlo.select_and_scatter"(%6, %1, %cst_1) <{padding = dense<0> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 3, 3>, window_strides = array<i64: 1, 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %16 = stablehlo.compare GE, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %16 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<2x11x9xf32>, tensor<2x5x4xf32>, tensor<f32>) -> tensor<2x11x9xf32>
    %8 = stablehlo.slice %7 [0:2, 1:10, 0:8] : (tensor<2x11x9xf32>) -> tensor<2x9x8xf32>
    %9 = call @cumsum(%arg0) : (tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
    %10 = call @argsort(%arg0) : (tensor<2x9x8xf32>) -> tensor<2x9x8xi32>
    %11:2 = "stablehlo.sort"(%arg0, %arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.compare EQ, %arg2, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.select %16, %cst_5, %arg2 : tensor<i1>, tensor<f32>
      %18 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_6 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %19 = stablehlo.select %18, %cst_6, %17 : tensor<i1>, tensor<f32>
      %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %20 = stablehlo.compare EQ, %arg3, %cst_7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %21 = stablehlo.select %20, %cst_8, %arg3 : tensor<i1>, tensor<f32>
      %22 = stablehlo.compare NE, %arg3, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_9 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %23 = stablehlo.select %22, %cst_9, %21 : tensor<i1>, tensor<f32>
      %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.compare EQ, %arg4, %cst_10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.select %24, %cst_11, %arg4 : tensor<i1>, tensor<f32>
      %26 = stablehlo.compare NE, %arg4, %arg4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_12 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %27 = stablehlo.select %26, %cst_12, %25 : tensor<i1>, tensor<f32>
      %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %28 = stablehlo.compare EQ, %arg5, %cst_13, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %29 = stablehlo.select %28, %cst_14, %arg5 : tensor<i1>, tensor<f32>
      %30 = stablehlo.compare NE, %arg5, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_15 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %31 = stablehlo.select %30, %cst_15, %29 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare LT, %27, %31, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.compare LT, %19, %23, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %34 = stablehlo.compare EQ, %19, %23, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %35 = stablehlo.and %34, %32 : tensor<i1>
      %36 = stablehlo.or %33, %35 : tensor<i1>
      stablehlo.return %36 : tensor<i1>
    }) : (tensor<2x9x8xf32>, tensor<2x9x8xf32>) -> (tensor<2x9x8xf32>, tensor<2x9x8xf32>)
    %12 = stablehlo.reshape %5 : (tensor<4xui32>) -> tensor<2x2xui32>
    %13 = stablehlo.bitcast_convert %12 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state_2, %output_3 = stablehlo.rng_bit_generator %13, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
    %14 = stablehlo.bitcast_convert %output_state_2 : (tensor<2xui64>) -> tensor<2x2xui32>
    %15 = stablehlo.reshape %14 : (tensor<2x2xui32>) -> tensor<4xui32>
    return %8, %9, %10, %11#0, %11#1, %5, %output, %15, %output_3 : tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xi32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<4xui32>, tensor<3x5xui32>, tensor<4xui32>, tensor<2xui32>
  }
  func.func private @cumsum(%arg0: tensor<2x9x8xf32>) -> tensor<2x9x8xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<2x9x8xf32>) -> tensor<2x9x8xf32>
    return %0 : tensor<2x9x8xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<2x9x8xf32>) -> tensor<2x9x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [8, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 9, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x9x8xf32>, tensor<f32>) -> tensor<2x9x8xf32>
    return %1 : tensor<2x9x8xf32>
  }
  func.func private @argsort(%arg0: tensor<2x9x8xf32>) -> tensor<2x9x8xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<2x9x8xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 2 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.select %2, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %5 = stablehlo.select %4, %cst_1, %3 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.select %6, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %8 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %9 = stablehlo.select %8, %cst_4, %7 : tensor<i1>, tensor<f32>
      %10 = stablehlo.compare LT, %5, %9, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<2x9x8xf32>, tensor<2x9x8xi32>) -> (tensor<2x9x8xf32>, tensor<2x9x8xi32>)
    return %1#1 : tensor<2x9x8xi32>
  }
}
