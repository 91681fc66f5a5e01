// Verifier errors of attributes.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{a tolerance needs mode TOLERANCE, but the mode is HIGHEST}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{tolerances must not be negative or NaN, but are atol 0.000000e+00, rtol -5.000000e-01, ulps 0}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<rtol = -0.5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{tolerances must not be negative or NaN, but are atol 0.000000e+00, rtol 0.000000e+00, ulps -2}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = -2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 'mode'}}
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 2, >} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{unknown field 'lhs_contracting', expected one of lhs_batching_dimensions, rhs_batching_dimensions, lhs_contracting_dimensions, rhs_contracting_dimensions}}
func.func @bad(%x: tensor<4xf32> {mhlo.a = #stablehlo.dot<lhs_contracting = [0]>}) {
  return
}

// -----

// expected-error@+1 {{unknown attribute `unknown` in dialect `stablehlo`}}
func.func @bad(%x: tensor<4xf32> {mhlo.a = #stablehlo.unknown<1>}) {
  return
}
