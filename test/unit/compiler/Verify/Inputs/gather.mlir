module @jit_gather attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<300x200xf32>, %arg1: tensor<64x3xi32>, %arg2: tensor<64x200xf32>) -> (tensor<64x200xf32> {jax.result_info = "result[0]"}, tensor<300x200xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<64x3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<64x3xi32>, tensor<64x3xi32>) -> tensor<64x3xi1>
    %c_0 = stablehlo.constant dense<300> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<64x3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<64x3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<64x3xi1>, tensor<64x3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<64x3xi32>) -> tensor<64x3x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 200>}> : (tensor<300x200xf32>, tensor<64x3x1xi32>) -> tensor<64x3x200xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<64x3x200xf32>, tensor<f32>) -> tensor<64x200xf32>
    %8 = stablehlo.slice %arg1 [0:64, 0:1] : (tensor<64x3xi32>) -> tensor<64x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<64x1xi32>) -> tensor<64xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi1>
    %c_2 = stablehlo.constant dense<300> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<64xi32>
    %13 = stablehlo.add %9, %12 : tensor<64xi32>
    %14 = stablehlo.select %11, %13, %9 : tensor<64xi1>, tensor<64xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<64xi32>) -> tensor<64x1xi32>
    %16 = "stablehlo.scatter"(%arg0, %15, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %17 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<300x200xf32>, tensor<64x1xi32>, tensor<64x200xf32>) -> tensor<300x200xf32>
    return %7, %16 : tensor<64x200xf32>, tensor<300x200xf32>
  }
}
