func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  return %x : tensor<?xf32, #stablehlo.bounds<8>>
}
