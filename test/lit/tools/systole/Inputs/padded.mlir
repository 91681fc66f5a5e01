// Rows of 10 of 128 lanes.
func.func @main(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = stablehlo.exponential %x : tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}
