// Verifier errors of element-wise operations on two tensors.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: add C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.add' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and operand #1 is 'tensor<5xf32>'}}
  %0 = stablehlo.add %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: multiply C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error@+1 {{'stablehlo.multiply' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and operand #1 is 'tensor<4xbf16>'}}
  %0 = stablehlo.multiply %x, %y : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

// Breaks: add C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.add' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf16>'}}
  %0 = stablehlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @bad(%x: tensor<4xi1>) {
  // expected-error@+1 {{'stablehlo.subtract' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer or 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.subtract %x, %x : tensor<4xi1>
  return
}

// -----

func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'stablehlo.atan2' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type}}
  %0 = stablehlo.atan2 %x, %x : tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.and' op operand #0 must be ranked tensor of i1 or 2/4/8/16/32/64-bit integer values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xi1>) {
  // expected-error@+1 {{'stablehlo.shift_left' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<4xi1>'}}
  %0 = stablehlo.shift_left %x, %x : tensor<4xi1>
  return
}

// -----

func.func @bad(%x: memref<4xf32>) {
  // expected-error@+1 {{'stablehlo.add' op operand #0 must be ranked tensor of}}
  %0 = stablehlo.add %x, %x : memref<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 2 operands, but found 1}}
  %0 = "stablehlo.add"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a function type with 2 inputs and 1 result, but got '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = stablehlo.add %x, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
