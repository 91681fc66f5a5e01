// Operations that are not of StableHLO
// Instead: StableHLO, for example by `mlir-hlo-opt`.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "mhlo.add"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
