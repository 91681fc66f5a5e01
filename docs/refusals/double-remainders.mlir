// Remainders of f64 in the body of a scatter
// Instead: remainders of gathered elements, and a scatter that replaces.
func.func @main(%x: tensor<8xf64>, %i: tensor<3x1xi32>, %u: tensor<3xf64>) -> tensor<8xf64> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.remainder %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<8xf64>, tensor<3x1xi32>, tensor<3xf64>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}
