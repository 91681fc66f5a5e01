func.func @main() -> tensor<3xf32> {
  %numbers = stablehlo.constant dense<[3.0517578125e-05, 6.103515625e-05, 1.0]> : tensor<3xf8E5M2>
  %reduced = stablehlo.reduce_precision %numbers, format = e5m2 : tensor<3xf8E5M2>
  %result = stablehlo.convert %reduced : (tensor<3xf8E5M2>) -> tensor<3xf32>
  return %result : tensor<3xf32>
}
