
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<2x2x6xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=4, j=8, k=6} reduction={j}>}
      : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.reshape %0
      {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, j, k]) {i=2, j=2, k=6} blocked_propagation={k}>}
      : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<2x2x6xf32>
}
