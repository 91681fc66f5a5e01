// Element-wise operations on one tensor, with every kind of element they take.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @abs(
func.func @abs(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.abs %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_abs = stablehlo.abs %i : tensor<2x3xi32>
  // CHECK: stablehlo.abs %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_abs = stablehlo.abs %f : tensor<2x3xf32>
  // CHECK: stablehlo.abs %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_abs = stablehlo.abs %h : tensor<0x?xbf16>
  // CHECK: stablehlo.abs %{{[^ ,)]+}} : tensor<f64>
  %s_abs = stablehlo.abs %s : tensor<f64>
  // CHECK: stablehlo.abs %{{[^ ,)]+}} : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  %m = stablehlo.abs %z : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func.func @numbers(
func.func @numbers(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_negate = stablehlo.negate %i : tensor<2x3xi32>
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_negate = stablehlo.negate %u : tensor<2x3xui8>
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_negate = stablehlo.negate %f : tensor<2x3xf32>
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_negate = stablehlo.negate %h : tensor<0x?xbf16>
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<f64>
  %s_negate = stablehlo.negate %s : tensor<f64>
  // CHECK: stablehlo.negate %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_negate = stablehlo.negate %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.sign %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_sign = stablehlo.sign %i : tensor<2x3xi32>
  // CHECK: stablehlo.sign %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_sign = stablehlo.sign %f : tensor<2x3xf32>
  // CHECK: stablehlo.sign %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_sign = stablehlo.sign %h : tensor<0x?xbf16>
  // CHECK: stablehlo.sign %{{[^ ,)]+}} : tensor<f64>
  %s_sign = stablehlo.sign %s : tensor<f64>
  // CHECK: stablehlo.sign %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_sign = stablehlo.sign %z : tensor<4xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @rounding(
func.func @rounding(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.ceil %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_ceil = stablehlo.ceil %f : tensor<2x3xf32>
  // CHECK: stablehlo.ceil %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_ceil = stablehlo.ceil %h : tensor<0x?xbf16>
  // CHECK: stablehlo.ceil %{{[^ ,)]+}} : tensor<f64>
  %s_ceil = stablehlo.ceil %s : tensor<f64>
  // CHECK: stablehlo.floor %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_floor = stablehlo.floor %f : tensor<2x3xf32>
  // CHECK: stablehlo.floor %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_floor = stablehlo.floor %h : tensor<0x?xbf16>
  // CHECK: stablehlo.floor %{{[^ ,)]+}} : tensor<f64>
  %s_floor = stablehlo.floor %s : tensor<f64>
  // CHECK: stablehlo.round_nearest_afz %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_round_nearest_afz = stablehlo.round_nearest_afz %f : tensor<2x3xf32>
  // CHECK: stablehlo.round_nearest_afz %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_round_nearest_afz = stablehlo.round_nearest_afz %h : tensor<0x?xbf16>
  // CHECK: stablehlo.round_nearest_afz %{{[^ ,)]+}} : tensor<f64>
  %s_round_nearest_afz = stablehlo.round_nearest_afz %s : tensor<f64>
  // CHECK: stablehlo.round_nearest_even %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_round_nearest_even = stablehlo.round_nearest_even %f : tensor<2x3xf32>
  // CHECK: stablehlo.round_nearest_even %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_round_nearest_even = stablehlo.round_nearest_even %h : tensor<0x?xbf16>
  // CHECK: stablehlo.round_nearest_even %{{[^ ,)]+}} : tensor<f64>
  %s_round_nearest_even = stablehlo.round_nearest_even %s : tensor<f64>
  return
}

// CHECK-LABEL: func.func @bits(
func.func @bits(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.not %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_not = stablehlo.not %b : tensor<2x3xi1>
  // CHECK: stablehlo.not %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_not = stablehlo.not %i : tensor<2x3xi32>
  // CHECK: stablehlo.not %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_not = stablehlo.not %u : tensor<2x3xui8>
  // CHECK: stablehlo.popcnt %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_popcnt = stablehlo.popcnt %i : tensor<2x3xi32>
  // CHECK: stablehlo.popcnt %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_popcnt = stablehlo.popcnt %u : tensor<2x3xui8>
  // CHECK: stablehlo.count_leading_zeros %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_count_leading_zeros = stablehlo.count_leading_zeros %i : tensor<2x3xi32>
  // CHECK: stablehlo.count_leading_zeros %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_count_leading_zeros = stablehlo.count_leading_zeros %u : tensor<2x3xui8>
  return
}

// CHECK-LABEL: func.func @is_finite(
func.func @is_finite(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.is_finite %{{[^ ,)]+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %r = stablehlo.is_finite %f : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: stablehlo.is_finite %{{[^ ,)]+}} : (tensor<0x?xbf16>) -> tensor<0x?xi1>
  %r2 = stablehlo.is_finite %h : (tensor<0x?xbf16>) -> tensor<0x?xi1>
  return
}

// CHECK-LABEL: func.func @transcendental(
func.func @transcendental(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.exponential %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_exponential = stablehlo.exponential %f : tensor<2x3xf32>
  // CHECK: stablehlo.exponential %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_exponential = stablehlo.exponential %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.exponential_minus_one %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_exponential_minus_one = stablehlo.exponential_minus_one %f : tensor<2x3xf32>
  // CHECK: stablehlo.exponential_minus_one %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_exponential_minus_one = stablehlo.exponential_minus_one %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.log %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_log = stablehlo.log %f : tensor<2x3xf32>
  // CHECK: stablehlo.log %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_log = stablehlo.log %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.log_plus_one %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_log_plus_one = stablehlo.log_plus_one %f : tensor<2x3xf32>
  // CHECK: stablehlo.log_plus_one %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_log_plus_one = stablehlo.log_plus_one %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.logistic %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_logistic = stablehlo.logistic %f : tensor<2x3xf32>
  // CHECK: stablehlo.logistic %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_logistic = stablehlo.logistic %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_tanh = stablehlo.tanh %f : tensor<2x3xf32>
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_tanh = stablehlo.tanh %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.tan %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_tan = stablehlo.tan %f : tensor<2x3xf32>
  // CHECK: stablehlo.tan %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_tan = stablehlo.tan %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.sine %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_sine = stablehlo.sine %f : tensor<2x3xf32>
  // CHECK: stablehlo.sine %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_sine = stablehlo.sine %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.cosine %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_cosine = stablehlo.cosine %f : tensor<2x3xf32>
  // CHECK: stablehlo.cosine %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_cosine = stablehlo.cosine %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.sqrt %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_sqrt = stablehlo.sqrt %f : tensor<2x3xf32>
  // CHECK: stablehlo.sqrt %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_sqrt = stablehlo.sqrt %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.rsqrt %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_rsqrt = stablehlo.rsqrt %f : tensor<2x3xf32>
  // CHECK: stablehlo.rsqrt %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_rsqrt = stablehlo.rsqrt %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.cbrt %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_cbrt = stablehlo.cbrt %f : tensor<2x3xf32>
  // CHECK: stablehlo.cbrt %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_cbrt = stablehlo.cbrt %z : tensor<4xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @accuracy(
func.func @accuracy(%f: tensor<4xf32>) {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  %0 = stablehlo.tanh %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  // CHECK: stablehlo.log %{{[^ ,)]+}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 5.000000e-01, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %1 = stablehlo.log %f {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 5.000000e-01, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK: stablehlo.sqrt %{{[^ ,)]+}} {result_accuracy = #stablehlo.result_accuracy<ulps = 9223372036854775807, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  %2 = stablehlo.sqrt %f {result_accuracy = #stablehlo.result_accuracy<ulps = 9223372036854775807, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  // CHECK: stablehlo.sine %{{[^ ,)]+}} : tensor<4xf32>
  %3 = stablehlo.sine %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @open_sizes(
func.func @open_sizes(%x: tensor<?xf32>) {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} : (tensor<?xf32>) -> tensor<3xf32>
  %0 = stablehlo.tanh %x : (tensor<?xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func.func @convert(
func.func @convert(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.convert %{{[^ ,)]+}} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %c0 = stablehlo.convert %f : (tensor<2x3xf32>) -> tensor<2x3xi32>
  // CHECK: stablehlo.convert %{{[^ ,)]+}} : (tensor<2x3xi32>) -> tensor<2x3xf8E4M3FN>
  %c1 = stablehlo.convert %i : (tensor<2x3xi32>) -> tensor<2x3xf8E4M3FN>
  // CHECK: stablehlo.convert %{{[^ ,)]+}} : (tensor<2x3xi1>) -> tensor<2x3xcomplex<f32>>
  %c2 = stablehlo.convert %b : (tensor<2x3xi1>) -> tensor<2x3xcomplex<f32>>
  // CHECK: stablehlo.convert %{{[^ ,)]+}} : (tensor<2x3xui8>) -> tensor<2x3xi1>
  %c3 = stablehlo.convert %u : (tensor<2x3xui8>) -> tensor<2x3xi1>
  // CHECK: stablehlo.convert %{{[^ ,)]+}} : tensor<2x3xf32>
  %c4 = stablehlo.convert %f : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @bitcast_convert(
func.func @bitcast_convert(%f: tensor<2x8xf32>, %z: tensor<2xcomplex<f64>>, %n: tensor<2x8xi4>) {
  // CHECK: stablehlo.bitcast_convert %{{[^ ,)]+}} : (tensor<2x8xf32>) -> tensor<2x8xui32>
  %0 = stablehlo.bitcast_convert %f : (tensor<2x8xf32>) -> tensor<2x8xui32>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,)]+}} : (tensor<2x8xf32>) -> tensor<2x8x4xui8>
  %1 = stablehlo.bitcast_convert %f : (tensor<2x8xf32>) -> tensor<2x8x4xui8>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,)]+}} : (tensor<2x8xi4>) -> tensor<2xf32>
  %2 = stablehlo.bitcast_convert %n : (tensor<2x8xi4>) -> tensor<2xf32>
  // CHECK: stablehlo.bitcast_convert %{{[^ ,)]+}} : (tensor<2xcomplex<f64>>) -> tensor<2x2xcomplex<f32>>
  %3 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f64>>) -> tensor<2x2xcomplex<f32>>
  return
}

// CHECK-LABEL: func.func @reduce_precision(
func.func @reduce_precision(%x: tensor<4xf32>, %h: tensor<?xbf16>) {
  // CHECK: stablehlo.reduce_precision %{{[^ ,)]+}}, format = e8m7 : tensor<4xf32>
  %0 = stablehlo.reduce_precision %x, format = e8m7 : tensor<4xf32>
  // CHECK: stablehlo.reduce_precision %{{[^ ,)]+}}, format = e5m0 {a = 1 : i32} : tensor<?xbf16>
  %1 = "stablehlo.reduce_precision"(%h) <{exponent_bits = 5 : i32, mantissa_bits = 0 : i32}> {a = 1 : i32} : (tensor<?xbf16>) -> tensor<?xbf16>
  return
}
