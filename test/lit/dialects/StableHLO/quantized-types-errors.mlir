// Verifier errors of quantized types that operations do not have.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Elements of one scale: most operations have no scale for each index.
!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{'stablehlo.tanh' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32-bit float or 64-bit float elements or uniform quantized type of one scale values}}
  %0 = stablehlo.tanh %x : !t
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = "stablehlo.reverse"(%x) <{dimensions = array<i64: 1>}> : (!t) -> !t
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.multiply %x, %x : !t
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = "stablehlo.cholesky"(%x) : (!t) -> !t
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (!t, !t) -> tensor<2x6x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.slice %x [0:2, 0:1] : (!t) -> tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
  return
}

// -----

!t = tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.optimization_barrier %x : !t
  return
}

// -----

// A zero point that is not stored, a scale too few, a dimension that there is not, and a storage type with a sign.
!t = tensor<3x!quant.uniform<i8:f32, 0.5:128>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.add %x, %x : !t
  return
}

// -----

!t = tensor<3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.add %x, %x : !t
  return
}

// -----

!t = tensor<3x!quant.uniform<i8:f32:1, {0.5, 1.0, 2.0}>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.uniform_dequantize %x : (!t) -> tensor<3xf32>
  return
}

// -----

!t = tensor<3x!quant.uniform<si8:f32, 0.5>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{operand #0 must be}}
  %0 = stablehlo.uniform_dequantize %x : (!t) -> tensor<3xf32>
  return
}

// -----

// Elements that move stay as they are.
!t = tensor<2x3x!quant.uniform<i8:f32, 0.5>>
func.func @bad(%x: !t) {
  // expected-error@+1 {{'stablehlo.transpose' op requires a result of type}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (!t) -> tensor<3x2x!quant.uniform<i8:f32, 0.25>>
  return
}
