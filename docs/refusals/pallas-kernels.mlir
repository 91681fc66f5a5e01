// Pallas kernels for a SparseCore
// Instead: kernels for the TensorCore, `pl.pallas_call` without a SparseCore mesh.
func.func @main(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.custom_call @tpu_custom_call(%x) {backend_config = "{\22custom_call_config\22: {\22body\22: \22\22}, \22device_type\22: \22DEVICE_TYPE_SPARSECORE\22}"} : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}
