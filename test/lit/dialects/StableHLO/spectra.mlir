// RUN: %systole-opt %s | %systole-opt | FileCheck %s
// RUN: %systole-opt %s --mlir-print-op-generic | %systole-opt | FileCheck %s

// CHECK-LABEL: @fft
func.func @fft(%x: tensor<3x8xf32>, %z: tensor<2x4x8xcomplex<f64>>, %e: tensor<0xcomplex<f32>>) {
  // CHECK: stablehlo.fft %{{[^ ,)]+}}, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
  // CHECK: stablehlo.fft %{{[^ ,)]+}}, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
  %1 = stablehlo.fft %0, type = IRFFT, length = [9] : (tensor<3x5xcomplex<f32>>) -> tensor<3x9xf32>
  // CHECK: stablehlo.fft %{{[^ ,)]+}}, type = FFT, length = [2, 4, 8] : (tensor<2x4x8xcomplex<f64>>) -> tensor<2x4x8xcomplex<f64>>
  %2 = stablehlo.fft %z, type = FFT, length = [2, 4, 8] : (tensor<2x4x8xcomplex<f64>>) -> tensor<2x4x8xcomplex<f64>>
  // CHECK: stablehlo.fft %{{[^ ,)]+}}, type = IFFT, length = [4, 8] : (tensor<2x4x8xcomplex<f64>>) -> tensor<2x4x8xcomplex<f64>>
  %3 = stablehlo.fft %z, type = IFFT, length = [4, 8] : (tensor<2x4x8xcomplex<f64>>) -> tensor<2x4x8xcomplex<f64>>
  // CHECK: stablehlo.fft %{{[^ ,)]+}}, type = IRFFT, length = [0] : (tensor<0xcomplex<f32>>) -> tensor<0xf32>
  %4 = stablehlo.fft %e, type = IRFFT, length = [0] : (tensor<0xcomplex<f32>>) -> tensor<0xf32>
  return
}

// CHECK-LABEL: @complex
func.func @complex(%x: tensor<3xf64>, %y: tensor<3xf64>, %f: tensor<3xbf16>) {
  // CHECK: stablehlo.complex %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<3xcomplex<f64>>
  %0 = stablehlo.complex %x, %y : tensor<3xcomplex<f64>>
  // CHECK: stablehlo.real %{{[^ ,)]+}} : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %1 = stablehlo.real %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  // CHECK: stablehlo.imag %{{[^ ,)]+}} : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %2 = stablehlo.imag %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  // CHECK: stablehlo.imag %{{[^ ,)]+}} : tensor<3xbf16>
  %3 = stablehlo.imag %f : tensor<3xbf16>
  return
}
