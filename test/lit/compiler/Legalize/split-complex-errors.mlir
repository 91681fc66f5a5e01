// RUN: %systole-opt %s --systole-split-complex --split-input-file --verify-diagnostics

func.func @main(%x: tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>> {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Qr' is not supported for complex numbers}}
  %0 = stablehlo.custom_call @Qr(%x) : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
  return %0 : tensor<3x3xcomplex<f32>>
}

// -----

func.func @main(%x: tensor<9xcomplex<f32>>, %one: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %0 = "stablehlo.reduce"(%x, %one) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    // expected-error@+1 {{operation 'stablehlo.remainder' is not supported for complex numbers: '(tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>'}}
    %p = stablehlo.remainder %a, %b : tensor<complex<f32>>
    stablehlo.return %p : tensor<complex<f32>>
  }) : (tensor<9xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}
