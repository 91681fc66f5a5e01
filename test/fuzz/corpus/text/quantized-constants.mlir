
!x = tensor<3x8x!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<2x3x!quant.uniform<u8:f32:1, {0.1,0.2:7,0.5}>>
!n = tensor<2x!quant.uniform<i4:f32, 2.0>>
func.func @main(%x: !x) -> (!x, !w, !n) {
  %0 = stablehlo.constant() <{value = dense<-5> : tensor<3x8xi8>}> : () -> !x
  %1 = stablehlo.add %x, %0 : !x
  %2 = stablehlo.constant() <{value = dense<[[1, 2, 3], [253, 254, 255]]> : tensor<2x3xui8>}> : () -> !w
  %3 = stablehlo.constant() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> !n
  return %1, %2, %3 : !x, !w, !n
}
