// Operations that take an array whole, of more than VMEM
// Instead: several smaller arrays; `docs/limits.md` names these operations.
func.func @main(%x: tensor<1000x10001xf32>) -> tensor<10001000xf32> {
  %0 = stablehlo.reshape %x : (tensor<1000x10001xf32>) -> tensor<10001000xf32>
  return %0 : tensor<10001000xf32>
}
