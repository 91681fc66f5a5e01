// Verifier errors of comparison and selection.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: compare C2
func.func @bad(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op requires the same type for both operands, but lhs is 'tensor<4xf32>' and rhs is 'tensor<5xf32>'}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xi1>
  return
}

// -----

// Breaks: compare C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<4xi1>', but it is 'tensor<1xi1>'}}
  %0 = stablehlo.compare LT, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<1xi1>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.compare' op result #0 must be ranked tensor of i1 values, but got 'tensor<4xf32>'}}
  %0 = stablehlo.compare LT, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: compare C3
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{compare_type UNSIGNED does not fit elements of type 'f32'}}
  %0 = stablehlo.compare LT, %x, %x, UNSIGNED : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// Breaks: compare C3
func.func @bad(%x: tensor<4xui8>) {
  // expected-error@+1 {{compare_type SIGNED does not fit elements of type 'ui8'}}
  %0 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return
}

// -----

// Breaks: compare C3
func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{compare_type TOTALORDER does not fit elements of type 'complex<f32>'}}
  %0 = stablehlo.compare EQ, %x, %x, TOTALORDER : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ABOVE' is not a value of comparison_direction}}
  %0 = stablehlo.compare ABOVE, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

// Breaks: select C2
func.func @bad(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.select' op requires the same type for both choices, but on_true is 'tensor<4xf32>' and on_false is 'tensor<4xf64>'}}
  %0 = stablehlo.select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: select C1
func.func @bad(%p: tensor<1xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{pred must have rank 0 or the shape of on_true, but is 'tensor<1xi1>' beside 'tensor<4xf32>'}}
  %0 = stablehlo.select %p, %x, %x : tensor<1xi1>, tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<4xi32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.select' op operand #0 must be ranked tensor of i1 values, but got 'tensor<4xi32>'}}
  %0 = stablehlo.select %p, %x, %x : tensor<4xi32>, tensor<4xf32>
  return
}

// -----

// Breaks: select C2
func.func @bad(%p: tensor<4xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<4xf32>', but it is 'tensor<2x2xf32>'}}
  %0 = stablehlo.select %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Breaks: clamp C3
func.func @bad(%x: tensor<4xf32>, %y: tensor<f64>) {
  // expected-error@+1 {{'stablehlo.clamp' op requires the same element type for all operands and results, but operand #0 is 'tensor<f64>' and operand #1 is 'tensor<4xf32>'}}
  %0 = stablehlo.clamp %y, %x, %y : (tensor<f64>, tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: clamp C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error@+1 {{min must have rank 0 or the shape of operand, but is 'tensor<1xf32>' beside 'tensor<4xf32>'}}
  %0 = stablehlo.clamp %y, %x, %x : (tensor<1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: clamp C2
func.func @bad(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  // expected-error@+1 {{max must have rank 0 or the shape of operand, but is 'tensor<1xf32>' beside 'tensor<4xf32>'}}
  %0 = stablehlo.clamp %x, %x, %y : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: clamp C4
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.clamp %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Breaks: compare C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'stablehlo.compare' op requires the same type for both operands, but lhs is 'tensor<4xf32>' and rhs is 'tensor<4xf64>'}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}
