// RUN: systole-opt %s --systole-expand-linear-algebra --split-input-file --verify-diagnostics

func.func @main(%x: tensor<5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>> {
  // expected-error@+1 {{operation 'stablehlo.cholesky' is not supported}}
  %r = stablehlo.cholesky %x, lower = true : tensor<5x5xcomplex<f64>>
  return %r : tensor<5x5xcomplex<f64>>
}

// -----

func.func @main(%a: tensor<5x5xcomplex<f32>>, %b: tensor<5x2xcomplex<f32>>) -> tensor<5x2xcomplex<f32>> {
  // expected-error@+1 {{operation 'stablehlo.triangular_solve' is not supported}}
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<5x5xcomplex<f32>>, tensor<5x2xcomplex<f32>>) -> tensor<5x2xcomplex<f32>>
  return %r : tensor<5x2xcomplex<f32>>
}

// -----

func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{operation 'stablehlo.cholesky' is not supported}}
  %r = stablehlo.cholesky %x, lower = true : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
