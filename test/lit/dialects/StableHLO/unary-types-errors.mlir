// Verifier errors of the result types of element-wise operations on one tensor.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: cbrt C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.cbrt' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.cbrt %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: cosine C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.cosine' op requires the same type for all operands and results}}
  %0 = stablehlo.cosine %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: exponential C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.exponential' op requires the same type for all operands and results}}
  %0 = stablehlo.exponential %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: exponential_minus_one C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.exponential_minus_one' op requires the same type for all operands and results}}
  %0 = stablehlo.exponential_minus_one %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: log C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.log' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.log %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: log_plus_one C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.log_plus_one' op requires the same type for all operands and results}}
  %0 = stablehlo.log_plus_one %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: logistic C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.logistic' op requires the same type for all operands and results}}
  %0 = stablehlo.logistic %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: rsqrt C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.rsqrt' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.rsqrt %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: sine C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.sine' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.sine %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: sqrt C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.sqrt' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.sqrt %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: tan C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.tan' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.tan %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: negate C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.negate' op requires the same type for all operands and results}}
  %0 = stablehlo.negate %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: sign C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.sign' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.sign %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: ceil C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.ceil' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.ceil %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: floor C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.floor' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = stablehlo.floor %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: round_nearest_afz C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.round_nearest_afz' op requires the same type for all operands and results}}
  %0 = stablehlo.round_nearest_afz %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: round_nearest_even C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.round_nearest_even' op requires the same type for all operands and results}}
  %0 = stablehlo.round_nearest_even %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: count_leading_zeros C1
func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.count_leading_zeros' op requires the same type for all operands and results}}
  %0 = stablehlo.count_leading_zeros %x : (tensor<4xi32>) -> tensor<4xui32>
  return
}

// -----

// Breaks: not C1
func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.not' op requires the same type for all operands and results, but operand #0 is 'tensor<4xi32>' and result #0 is 'tensor<4xui32>'}}
  %0 = stablehlo.not %x : (tensor<4xi32>) -> tensor<4xui32>
  return
}

// -----

// Breaks: popcnt C1
func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.popcnt' op requires the same type for all operands and results}}
  %0 = stablehlo.popcnt %x : (tensor<4xi32>) -> tensor<4xui32>
  return
}

// -----

// Breaks: reduce_precision C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op requires the same type for all operands and results}}
  %0 = stablehlo.reduce_precision %x, format = e5m2 : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: reduce_precision C3
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.reduce_precision' op attribute 'mantissa_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: abs C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.abs' op requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.abs %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Breaks: real C1
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return
}

// -----

// Breaks: real C2
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op requires a result of type 'tensor<4xf32>', but it is 'tensor<4xf64>'}}
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}

// -----

// Breaks: imag C1
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.imag' op requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.imag %x : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return
}

// -----

// Breaks: imag C2
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.imag' op requires a result of type 'tensor<4xf32>', but it is 'tensor<4xf64>'}}
  %0 = stablehlo.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return
}
