// Custom calls of other compilers
// Instead: the operations that they stand for; calls of JAX for TPUs are supported.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
