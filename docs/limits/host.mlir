func.func @main(%x: tensor<4x8xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<4x8xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
