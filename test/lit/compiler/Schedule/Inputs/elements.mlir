func.func @main(%x: tensor<300x1000xf32>, %at: tensor<100x2xi32>, %u: tensor<100xf32>) -> tensor<300x1000xf32> {
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<300x1000xf32>, tensor<100x2xi32>, tensor<100xf32>) -> tensor<300x1000xf32>
  return %0 : tensor<300x1000xf32>
}
