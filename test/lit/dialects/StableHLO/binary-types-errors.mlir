// Verifier errors of the types of element-wise operations on two tensors.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: subtract C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.subtract' op requires the same type for all operands and results}}
  %0 = stablehlo.subtract %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: divide C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.divide' op requires the same type for all operands and results}}
  %0 = stablehlo.divide %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: remainder C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.remainder' op requires the same type for all operands and results}}
  %0 = stablehlo.remainder %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: maximum C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.maximum' op requires the same type for all operands and results}}
  %0 = stablehlo.maximum %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: minimum C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.minimum' op requires the same type for all operands and results}}
  %0 = stablehlo.minimum %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: power C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.power' op requires the same type for all operands and results}}
  %0 = stablehlo.power %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: atan2 C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.atan2' op requires the same type for all operands and results}}
  %0 = stablehlo.atan2 %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: and C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.and' op requires the same type for all operands and results, but operand #0 is 'tensor<4xi32>' and operand #1 is 'tensor<4xui32>'}}
  %0 = stablehlo.and %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: or C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.or' op requires the same type for all operands and results, but operand #0 is 'tensor<4xi32>' and operand #1 is 'tensor<4xui32>'}}
  %0 = stablehlo.or %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: xor C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.xor' op requires the same type for all operands and results, but operand #0 is 'tensor<4xi32>' and operand #1 is 'tensor<4xui32>'}}
  %0 = stablehlo.xor %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: shift_left C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.shift_left' op requires the same type for all operands and results}}
  %0 = stablehlo.shift_left %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: shift_right_arithmetic C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.shift_right_arithmetic' op requires the same type for all operands and results}}
  %0 = stablehlo.shift_right_arithmetic %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: shift_right_logical C1
func.func @bad(%x: tensor<4xi32>, %y: tensor<4xui32>) {
  // expected-error@+1 {{'stablehlo.shift_right_logical' op requires the same type for all operands and results}}
  %0 = stablehlo.shift_right_logical %x, %y : (tensor<4xi32>, tensor<4xui32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: complex C2
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.complex' op requires a result of type 'tensor<4xcomplex<f32>>', but it is 'tensor<5xcomplex<f32>>'}}
  %0 = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// Breaks: complex C3
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.complex' op requires a result of type 'tensor<4xcomplex<f32>>', but it is 'tensor<4xcomplex<f64>>'}}
  %0 = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}
