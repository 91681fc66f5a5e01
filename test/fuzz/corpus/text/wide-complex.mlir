
!z = tensor<3x3xcomplex<f64>>
func.func @main(%z: !z) -> (!z, tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f32>>) {
  %zero = stablehlo.constant dense<(0.0, -0.0)> : tensor<complex<f64>>
  %0 = stablehlo.dot_general %z, %z, contracting_dims = [1] x [0] : (!z, !z) -> !z
  %1 = stablehlo.sqrt %0 : !z
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0]
      : (!z, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  %3 = stablehlo.convert %z : (!z) -> tensor<3x3xcomplex<f32>>
  return %1, %2, %3 : !z, tensor<3xcomplex<f64>>, tensor<3x3xcomplex<f32>>
}
