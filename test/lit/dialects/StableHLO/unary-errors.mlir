// Verifier errors of element-wise operations on one tensor.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.abs' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.abs %x : tensor<4xui32>
  return
}

// -----

func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.abs' op result #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or 4/6/8/16/32/64-bit float or uniform quantized type of one scale values, but got 'tensor<4xcomplex<f32>>'}}
  %0 = stablehlo.abs %x : tensor<4xcomplex<f32>>
  return
}

// -----

// Breaks: abs C2
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.abs' op requires a result of type 'tensor<4xf32>', but it is 'tensor<4xf64>'}}
  %0 = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

func.func @bad(%x: tensor<4xi1>) {
  // expected-error@+1 {{'stablehlo.negate' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.negate %x : tensor<4xi1>
  return
}

// -----

func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.floor' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or uniform quantized type of one scale values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.floor %x : tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.not' op operand #0 must be ranked tensor of i1 or 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.not %x : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xi1>) {
  // expected-error@+1 {{'stablehlo.popcnt' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xi1>'}}
  %0 = stablehlo.popcnt %x : tensor<4xi1>
  return
}

// -----

func.func @bad(%x: tensor<*xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.tanh %x : tensor<*xf32>
  return
}

// -----

func.func @bad(%x: f32) {
  // expected-error@+1 {{'stablehlo.exponential' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.exponential %x : f32
  return
}

// -----

func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.exponential' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.exponential %x : tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xi7>) {
  // expected-error@+1 {{'stablehlo.sign' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit signless integer or}}
  %0 = stablehlo.sign %x : tensor<4xi7>
  return
}

// -----

// Breaks: tanh C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.tanh %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: tanh C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.tanh' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4x1xf32>'}}
  %0 = stablehlo.tanh %x : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a function type with 1 inputs and 1 result, but got '(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = stablehlo.tanh %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: is_finite C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<4xi1>', but it is 'tensor<5xi1>'}}
  %0 = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

// Breaks: convert C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.convert' op requires the same shape for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<2x2xi32>'}}
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<2x2xi32>
  return
}

// -----

// Breaks: bitcast_convert C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.bitcast_convert' op requires the same shape for elements of equal width, but the operand is 'tensor<4xf32>' and the result is 'tensor<5xi32>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<5xi32>
  return
}

// -----

// Breaks: bitcast_convert C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the narrower elements to have one more dimension, at the end and of size 2, but the operand is 'tensor<4xf32>' and the result is 'tensor<4x3xi16>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x3xi16>
  return
}

// -----

// Breaks: bitcast_convert C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the narrower elements to have one more dimension, at the end and of size 2, but the operand is 'tensor<4xf32>' and the result is 'tensor<2xf64>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

// Breaks: bitcast_convert C1
func.func @bad(%x: tensor<f64>) {
  // expected-error@+1 {{requires the narrower elements to have one more dimension, at the end and of size 2, but the operand is 'tensor<f64>' and the result is 'tensor<f32>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<f64>) -> tensor<f32>
  return
}

// -----

// Breaks: bitcast_convert C1
func.func @bad(%x: tensor<4xf6E2M3FN>) {
  // expected-error@+1 {{requires one element width to divide the other, but they are 6 and 8}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf6E2M3FN>) -> tensor<4xi8>
  return
}

// -----

// Breaks: bitcast_convert C2
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{cannot read bits across real and complex numbers, from 'tensor<4xcomplex<f32>>' to 'tensor<4xf64>'}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// Breaks: reduce_precision C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{attribute 'exponent_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %0 = stablehlo.reduce_precision %x, format = e0m2 : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or uniform quantized type of one scale values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.reduce_precision %x, format = e5m2 : tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a format such as e5m2, found 'e5'}}
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a format such as e5m2, found 'e5m99999999999'}}
  %0 = stablehlo.reduce_precision %x, format = e5m99999999999 : tensor<4xf32>
  return
}
