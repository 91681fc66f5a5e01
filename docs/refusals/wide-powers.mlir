// Powers of 64-bit integers in the body of a scatter
// Instead: powers of gathered elements, and a scatter that replaces.
func.func @main(%x: tensor<8xi64>, %i: tensor<3x1xi32>, %u: tensor<3xi64>) -> tensor<8xi64> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = stablehlo.power %a, %b : tensor<i64>
    stablehlo.return %1 : tensor<i64>
  }) : (tensor<8xi64>, tensor<3x1xi32>, tensor<3xi64>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
