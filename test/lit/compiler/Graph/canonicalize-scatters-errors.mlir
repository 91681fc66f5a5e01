// RUN: %systole-opt %s --systole-canonicalize-scatters --verify-diagnostics

func.func @body(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>, %v: tensor<4xf32>) -> tensor<100x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{operation 'stablehlo.reduce' is not supported in the body of 'stablehlo.scatter'}}
    %s = stablehlo.reduce(%v init: %a) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
  return %0 : tensor<100x8xf32>
}
