// Programs that need more HBM than the target has
// Instead: a smaller batch, `jax.checkpoint`, donated arguments, or a target with more memory.
func.func @main(%x: tensor<40000x50000xf32>) -> (tensor<40000x50000xf32>, tensor<40000x50000xf32>) {
  %0 = stablehlo.exponential %x : tensor<40000x50000xf32>
  %1 = stablehlo.negate %x : tensor<40000x50000xf32>
  return %0, %1 : tensor<40000x50000xf32>, tensor<40000x50000xf32>
}
