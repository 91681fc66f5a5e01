// Verifier errors of linear algebra.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: cholesky C3
func.func @bad(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{requires the last two dimensions of a to have the same size, but a is 'tensor<3x4xf32>'}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<3x4xf32>
  return
}

// -----

// Breaks: cholesky C2
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a to have two dimensions or more, but it is 'tensor<4xf32>'}}
  %0 = stablehlo.cholesky %x : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x4xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of}}
  %0 = stablehlo.cholesky %x : tensor<4x4xi32>
  return
}

// -----

// Breaks: triangular_solve C3
func.func @bad(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{requires the last two dimensions of a to have the same size, but a is 'tensor<4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: triangular_solve C3
func.func @bad(%a: tensor<3x4x4xf32>, %b: tensor<2x4x3xf32>) {
  // expected-error@+1 {{requires a and b to agree in all but their last two dimensions, but a is 'tensor<3x4x4xf32>' and b is 'tensor<2x4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

// Breaks: triangular_solve C2
func.func @bad(%a: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{requires a and b of one rank, but a is 'tensor<4x4xf32>' and b is 'tensor<4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: triangular_solve C3
func.func @bad(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{requires matrices of a to have as many columns as b has columns, but a is 'tensor<4x4xf32>' and b is 'tensor<4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bad(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{requires transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: triangular_solve C4
func.func @bad(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{requires the result to have the type of b, 'tensor<4x3xf32>', but it is 'tensor<4x4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Breaks: triangular_solve C1
func.func @bad(%a: tensor<4x4xf32>, %b: tensor<4x3xbf16>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xbf16>) -> tensor<4x3xbf16>
  return
}

// -----

// Breaks: cholesky C1
func.func @bad(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'stablehlo.cholesky' op requires the same type for all operands and results}}
  %0 = stablehlo.cholesky %x : (tensor<4x4xf32>) -> tensor<4x4xf64>
  return
}
