// Types of other dialects
// Instead: tensors.
func.func @main(%x: tensor<8x!mhlo.token>) {
  return
}
