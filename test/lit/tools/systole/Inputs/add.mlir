func.func public @main(%x: tensor<4096x1024xf32>, %w: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = stablehlo.add %x, %w : tensor<4096x1024xf32>
  return %0 : tensor<4096x1024xf32>
}
