// Verifier errors of constants and iotas.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad() {
  // expected-error@+1 {{'stablehlo.constant' op result #0 must be statically shaped tensor of 4/6/8/16/32/64-bit float or i1 or 2/4/8/16/32/64-bit integer or complex type}}
  %0 = stablehlo.constant dense<1> : tensor<2xi7>
  return
}

// -----

// Breaks: constant C1
func.func @bad() {
  // expected-error@+1 {{requires a result of type 'tensor<2xi32>', but it is 'tensor<3xi32>'}}
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{requires attribute 'value'}}
  %0 = "stablehlo.constant"() : () -> tensor<3xi32>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{invalid kind of attribute specified}}
  %0 = stablehlo.constant 1 : i32
  return
}

// -----

// Breaks: iota C1
func.func @bad() {
  // expected-error@+1 {{iota_dimension 2 is out of range for rank-2 result}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  return
}

// -----

// Breaks: iota C1
func.func @bad() {
  // expected-error@+1 {{iota_dimension 0 is out of range for rank-0 result}}
  %0 = stablehlo.iota dim = 0 : tensor<f32>
  return
}

// -----

// Breaks: iota C1
func.func @bad() {
  // expected-error@+1 {{'stablehlo.iota' op attribute 'iota_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = stablehlo.iota dim = -1 : tensor<2x3xi32>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{'stablehlo.iota' op result #0 must be statically shaped tensor of}}
  %0 = stablehlo.iota dim = 0 : tensor<?xi32>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{'stablehlo.iota' op result #0 must be statically shaped tensor of}}
  %0 = stablehlo.iota dim = 0 : tensor<4xi1>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{'stablehlo.constant' op requires a result of type 'tensor<2xi16>', but it is 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{'stablehlo.constant' op requires a result of type 'tensor<3xi8>', but it is 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>'}}
  %0 = stablehlo.constant() <{value = dense<1> : tensor<3xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @constant_of_a_vector() -> tensor<2xi8> {
  // expected-error@+1 {{requires a value of a tensor type, but it is 'vector<2xi8>'}}
  %0 = stablehlo.constant() <{value = dense<1> : vector<2xi8>}> : () -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
