// Element-wise operations on two tensors, with every kind of element they take.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @everything(
func.func @everything(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_add = stablehlo.add %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_add = stablehlo.add %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_add = stablehlo.add %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_add = stablehlo.add %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_add = stablehlo.add %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_add = stablehlo.add %s, %s : tensor<f64>
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_add = stablehlo.add %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_multiply = stablehlo.multiply %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_multiply = stablehlo.multiply %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_multiply = stablehlo.multiply %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_multiply = stablehlo.multiply %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_multiply = stablehlo.multiply %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_multiply = stablehlo.multiply %s, %s : tensor<f64>
  // CHECK: stablehlo.multiply %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_multiply = stablehlo.multiply %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_maximum = stablehlo.maximum %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_maximum = stablehlo.maximum %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_maximum = stablehlo.maximum %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_maximum = stablehlo.maximum %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_maximum = stablehlo.maximum %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_maximum = stablehlo.maximum %s, %s : tensor<f64>
  // CHECK: stablehlo.maximum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_maximum = stablehlo.maximum %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_minimum = stablehlo.minimum %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_minimum = stablehlo.minimum %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_minimum = stablehlo.minimum %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_minimum = stablehlo.minimum %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_minimum = stablehlo.minimum %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_minimum = stablehlo.minimum %s, %s : tensor<f64>
  // CHECK: stablehlo.minimum %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_minimum = stablehlo.minimum %z, %z : tensor<4xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @numbers(
func.func @numbers(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_subtract = stablehlo.subtract %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_subtract = stablehlo.subtract %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_subtract = stablehlo.subtract %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_subtract = stablehlo.subtract %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_subtract = stablehlo.subtract %s, %s : tensor<f64>
  // CHECK: stablehlo.subtract %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_subtract = stablehlo.subtract %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_divide = stablehlo.divide %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_divide = stablehlo.divide %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_divide = stablehlo.divide %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_divide = stablehlo.divide %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_divide = stablehlo.divide %s, %s : tensor<f64>
  // CHECK: stablehlo.divide %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_divide = stablehlo.divide %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_remainder = stablehlo.remainder %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_remainder = stablehlo.remainder %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_remainder = stablehlo.remainder %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_remainder = stablehlo.remainder %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_remainder = stablehlo.remainder %s, %s : tensor<f64>
  // CHECK: stablehlo.remainder %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_remainder = stablehlo.remainder %z, %z : tensor<4xcomplex<f64>>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_power = stablehlo.power %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_power = stablehlo.power %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_power = stablehlo.power %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_power = stablehlo.power %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_power = stablehlo.power %s, %s : tensor<f64>
  // CHECK: stablehlo.power %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_power = stablehlo.power %z, %z : tensor<4xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @reals(
func.func @reals(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.atan2 %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xf32>
  %f_atan2 = stablehlo.atan2 %f, %f : tensor<2x3xf32>
  // CHECK: stablehlo.atan2 %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<0x?xbf16>
  %h_atan2 = stablehlo.atan2 %h, %h : tensor<0x?xbf16>
  // CHECK: stablehlo.atan2 %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<f64>
  %s_atan2 = stablehlo.atan2 %s, %s : tensor<f64>
  // CHECK: stablehlo.atan2 %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xcomplex<f64>>
  %z_atan2 = stablehlo.atan2 %z, %z : tensor<4xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @bits(
func.func @bits(%b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>,
    %f: tensor<2x3xf32>, %h: tensor<0x?xbf16>, %s: tensor<f64>,
    %z: tensor<4xcomplex<f64>>) {
  // CHECK: stablehlo.and %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_and = stablehlo.and %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.and %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_and = stablehlo.and %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.and %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_and = stablehlo.and %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.or %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_or = stablehlo.or %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.or %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_or = stablehlo.or %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.or %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_or = stablehlo.or %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.xor %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi1>
  %b_xor = stablehlo.xor %b, %b : tensor<2x3xi1>
  // CHECK: stablehlo.xor %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_xor = stablehlo.xor %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.xor %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_xor = stablehlo.xor %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.shift_left %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_shift_left = stablehlo.shift_left %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.shift_left %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_shift_left = stablehlo.shift_left %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.shift_right_arithmetic %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_shift_right_arithmetic = stablehlo.shift_right_arithmetic %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.shift_right_arithmetic %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_shift_right_arithmetic = stablehlo.shift_right_arithmetic %u, %u : tensor<2x3xui8>
  // CHECK: stablehlo.shift_right_logical %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xi32>
  %i_shift_right_logical = stablehlo.shift_right_logical %i, %i : tensor<2x3xi32>
  // CHECK: stablehlo.shift_right_logical %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<2x3xui8>
  %u_shift_right_logical = stablehlo.shift_right_logical %u, %u : tensor<2x3xui8>
  return
}

// Types that differ only in sizes that are not known are written out.
// CHECK-LABEL: func.func @open_sizes(
func.func @open_sizes(%x: tensor<?x3xf32>, %y: tensor<2x?xf32>) {
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x3xf32>
  %0 = stablehlo.add %x, %y : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x3xf32>
  return
}
