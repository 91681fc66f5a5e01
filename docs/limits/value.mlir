// The tangent of a product, in one kernel.
func.func @main() -> tensor<8x8xf32> {
  %count = stablehlo.iota dim = 1 : tensor<8x8xf32>
  %product = stablehlo.dot_general %count, %count, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %tangent = stablehlo.tanh %product : tensor<8x8xf32>
  return %tangent : tensor<8x8xf32>
}
