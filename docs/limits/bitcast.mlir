// The bits 1 are the smallest denormal of bf16, and 0x7FC1 is one of its NaNs. The reversal moves both.
func.func @main() -> tensor<2xui16> {
  %bits = stablehlo.constant dense<[1, 0x7FC1]> : tensor<2xui16>
  %numbers = stablehlo.bitcast_convert %bits : (tensor<2xui16>) -> tensor<2xbf16>
  %moved = stablehlo.reverse %numbers, dims = [0] : tensor<2xbf16>
  %back = stablehlo.bitcast_convert %moved : (tensor<2xbf16>) -> tensor<2xui16>
  return %back : tensor<2xui16>
}
