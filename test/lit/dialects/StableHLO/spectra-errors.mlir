// RUN: %systole-opt %s --split-input-file --verify-diagnostics

// Breaks: fft C1
func.func @bad(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{requires one to three entries of fft_length, at most one for each dimension, but the operand is 'tensor<8xcomplex<f32>>' and fft_length is [1, 8]}}
  %0 = stablehlo.fft %x, type = FFT, length = [1, 8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// Breaks: fft C3
func.func @bad(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{requires one to three entries of fft_length}}
  %0 = stablehlo.fft %x, type = FFT, length = [] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// Breaks: fft C2
func.func @bad(%x: tensor<8xf32>) {
  // expected-error@+1 {{requires elements of f32 or f64 for RFFT, and complex ones for FFT, IFFT and IRFFT, but the operand is 'tensor<8xf32>'}}
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Breaks: fft C2
func.func @bad(%x: tensor<8xbf16>) {
  // expected-error@+1 {{requires elements of f32 or f64 for RFFT}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xbf16>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// Breaks: fft C4
func.func @bad(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{requires an operand of shape [7] for FFT with fft_length [7], but it is 'tensor<8xcomplex<f32>>'}}
  %0 = stablehlo.fft %x, type = FFT, length = [7] : (tensor<8xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  return
}

// -----

// Breaks: fft C5
func.func @bad(%x: tensor<3x8xcomplex<f32>>) {
  // expected-error@+1 {{requires an operand of shape [3, 5] for IRFFT with fft_length [3, 8], but it is 'tensor<3x8xcomplex<f32>>'}}
  %0 = stablehlo.fft %x, type = IRFFT, length = [3, 8] : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stablehlo.fft' op}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// Breaks: complex C1
func.func @bad(%x: tensor<8xf32>, %y: tensor<7xf32>) {
  // expected-error@+1 {{requires parts of the same type, but lhs is 'tensor<8xf32>' and rhs is 'tensor<7xf32>'}}
  %0 = stablehlo.complex %x, %y : (tensor<8xf32>, tensor<7xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @bad(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a tensor of complex numbers, but got 'tensor<8xf32>'}}
  %0 = stablehlo.complex %x, %x : tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<8xbf16>) {
  // expected-error@+1 {{'stablehlo.complex' op operand #0 must be ranked tensor of 32-bit float or 64-bit float values}}
  %0 = "stablehlo.complex"(%x, %x) : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @bad(%z: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'stablehlo.real' op}}
  %0 = stablehlo.real %z : (tensor<8xcomplex<f32>>) -> tensor<8xf64>
  return
}
