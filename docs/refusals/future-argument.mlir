// Futures from elsewhere
// Instead: `async_start` and `async_done` in one function.
func.func @main(%x: !stablehlo.future<tensor<8xf32>>) -> tensor<8xf32> {
  %0 = "stablehlo.async_done"(%x) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
