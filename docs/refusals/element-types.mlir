// Element types
// Instead: f32 or f64; integers of at most 64 bits.
func.func @main(%x: tensor<8xf80>) -> tensor<8xf80> {
  return %x : tensor<8xf80>
}
