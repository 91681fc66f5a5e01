// Element-wise CHLO operations, in the forms that producers write.
// RUN: %systole-opt %s | FileCheck %s
// RUN: %systole-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: @unary
// GENERIC: sym_name = "unary"
func.func @unary(%x: tensor<4xf32>) {
  // CHECK: %0 = chlo.acos %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.acos"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "chlo.acos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %1 = chlo.acosh %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.acosh"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %2 = chlo.asin %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.asin"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "chlo.asin"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %3 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.asinh"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %4 = chlo.atan %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.atan"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "chlo.atan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %5 = chlo.atanh %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.atanh"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %6 = chlo.bessel_i1e %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.bessel_i1e"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = "chlo.bessel_i1e"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %7 = chlo.conj %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.conj"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %8 = chlo.cosh %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.cosh"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = "chlo.cosh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %9 = chlo.digamma %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.digamma"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %10 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.erf"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %10 = "chlo.erf"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %11 = chlo.erf_inv %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.erf_inv"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %11 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %12 = chlo.erfc %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.erfc"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %12 = "chlo.erfc"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %13 = chlo.lgamma %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.lgamma"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %13 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %14 = chlo.sinh %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.sinh"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %14 = "chlo.sinh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %15 = chlo.square %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.square"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %15 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: %16 = chlo.tan %arg0 : tensor<4xf32> -> tensor<4xf32>
  // GENERIC: %{{[0-9]+}} = "chlo.tan"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %16 = "chlo.tan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @predicates
func.func @predicates(%x: tensor<?xbf16>) {
  // CHECK: chlo.is_inf %arg0 : tensor<?xbf16> -> tensor<?xi1>
  %0 = chlo.is_inf %x : tensor<?xbf16> -> tensor<?xi1>
  // CHECK: chlo.is_neg_inf %arg0 : tensor<?xbf16> -> tensor<?xi1>
  %1 = chlo.is_neg_inf %x : tensor<?xbf16> -> tensor<?xi1>
  // CHECK: chlo.is_pos_inf %arg0 : tensor<?xbf16> -> tensor<?xi1>
  %2 = chlo.is_pos_inf %x : tensor<?xbf16> -> tensor<?xi1>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<4xf32>, %n: tensor<4xui8>) {
  // CHECK: chlo.next_after %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // GENERIC: "chlo.next_after"(%{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = chlo.next_after %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.polygamma %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.polygamma %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.zeta %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: chlo.mulhi %arg1, %arg1 : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  %3 = chlo.mulhi %n, %n : tensor<4xui8>, tensor<4xui8> -> tensor<4xui8>
  // CHECK: "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: chlo.erf %arg0 {a = 1 : i32} : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.erf %x {a = 1 : i32} : tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: @complex
func.func @complex(%x: tensor<4xcomplex<f32>>) {
  // CHECK: chlo.square %arg0 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %0 = chlo.square %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return
}
