
!x = tensor<3x8x!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<8x2x!quant.uniform<i8<-127:127>:f32:1, {0.1,0.2}>>
!y = tensor<3x2x!quant.uniform<u8:f32, 2.0:128>>
!z = tensor<3x8x!quant.uniform<i16:f32, 0.001>>
func.func @main(%x: !x, %w: !w) -> (!y, tensor<3x8xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (!x, !w) -> !y
  %1 = stablehlo.tanh %x : !x
  %2 = stablehlo.uniform_quantize %1 : (!x) -> !z
  %3 = stablehlo.uniform_dequantize %2 : (!z) -> tensor<3x8xf32>
  return %0, %3 : !y, tensor<3x8xf32>
}
