// Tensors made from nothing.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
  %cst = stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
  // CHECK: stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
  %c = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK: stablehlo.constant dense<true> : tensor<i1>
  %c_0 = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: stablehlo.constant dense<[1, 2, 255]> : tensor<3xui8>
  %c_1 = stablehlo.constant dense<[1, 2, 255]> : tensor<3xui8>
  // CHECK: stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
  %c_2 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
  // CHECK: stablehlo.constant dense<> : tensor<0x3xbf16>
  %cst_3 = stablehlo.constant dense<> : tensor<0x3xbf16>
  // CHECK: stablehlo.constant dense<0xFF800000> : tensor<f32>
  %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: stablehlo.constant dense_resource<weights> : tensor<2xf32>
  %cst_5 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  // CHECK: stablehlo.constant {mhlo.note = "kept"} dense<-1> : tensor<i4>
  %c_6 = stablehlo.constant {mhlo.note = "kept"} dense<-1> : tensor<i4>
  return
}

// The generic form without the quotes, as other printers write it.
// CHECK-LABEL: func.func @generic
func.func @generic() {
  // CHECK: stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  %0 = stablehlo.constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  return
}

// The names of constants are their values, as in JAX.
// CHECK-LABEL: func.func @names
func.func @names() -> (tensor<f32>, tensor<i32>) {
  // CHECK: %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  // CHECK: %c = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.constant dense<1> : tensor<i32>
  return %0, %1 : tensor<f32>, tensor<i32>
}

// CHECK-LABEL: func.func @iota(
func.func @iota() {
  // CHECK: stablehlo.iota dim = 0 : tensor<4xi32>
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  // CHECK: stablehlo.iota dim = 2 : tensor<2x0x4xbf16>
  %1 = stablehlo.iota dim = 2 : tensor<2x0x4xbf16>
  // CHECK: stablehlo.iota dim = 1 : tensor<2x3xcomplex<f32>>
  %2 = stablehlo.iota dim = 1 : tensor<2x3xcomplex<f32>>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803f0000003f"
    }
  }
#-}
