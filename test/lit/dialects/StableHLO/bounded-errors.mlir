// Verifier errors of types with largest sizes.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %y: tensor<5x2xf32>) {
  // expected-error@+1 {{requires the same type for all operands and results, but operand #0 is 'tensor<?x2xf32, #stablehlo.bounds<4, ?>>' and operand #1 is 'tensor<5x2xf32>'}}
  %0 = stablehlo.add %x, %y : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<5x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{result #0 must be statically shaped or bounded ranked tensor of}}
  %0 = stablehlo.reshape %x : (tensor<2x2xf32>) -> tensor<?xf32, #stablehlo.bounds<?>>
  return
}

// -----

// Bounds have an entry for each dimension, and only dynamic ones have one.
// expected-error@+1 {{there are 1 bounds for 2 dimensions}}
func.func @bad(%x: tensor<?x?xf32, #stablehlo.bounds<3>>) {
  return
}

// -----

// expected-error@+1 {{dimension 0 has size 3 and a bound}}
func.func @bad(%x: tensor<3xf32, #stablehlo.bounds<3>>) {
  return
}

// -----

// expected-error@+1 {{dimension 1 has the bound -2}}
func.func @bad(%x: tensor<?x?xf32, #stablehlo.bounds<3, -2>>) {
  return
}

// -----

// The former name of bounds.
// expected-error@+1 {{there are 1 bounds for 2 dimensions}}
func.func @bad(%x: tensor<?x?xf32, #stablehlo.type_extensions<bounds = [3]>>) {
  return
}

// -----

// expected-error@+1 {{expected 'bounds'}}
func.func @bad(%x: tensor<?xf32, #stablehlo.type_extensions<[3]>>) {
  return
}
