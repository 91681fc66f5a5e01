// RUN: %systole-opt %s --systole-split-doubles --canonicalize --split-input-file | FileCheck %s

// Arguments and results are the low and the high words; a sign is a bit of the high one.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[XL:.*]]: tensor<3xui32> {kernel.element = f64, tf.aliasing_output = 0 : i32}, %[[XH:.*]]: tensor<3xui32> {kernel.element = f64, tf.aliasing_output = 0 : i32})
// CHECK-SAME: -> (tensor<3xui32> {kernel.element = f64}, tensor<3xui32> {kernel.element = f64})
// CHECK: %[[SIGN:.*]] = stablehlo.constant dense<2147483648> : tensor<3xui32>
// CHECK: %[[H:.*]] = stablehlo.xor %[[XH]], %[[SIGN]]
// CHECK: return %[[XL]], %[[H]]
func.func @main(%x: tensor<3xf64> {tf.aliasing_output = 0 : i32}) -> tensor<3xf64> {
  %0 = stablehlo.negate %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

// Words of constants: 1.5 and -0.
// CHECK-LABEL: @constants
// CHECK-DAG: stablehlo.constant dense<0> : tensor<2xui32>
// CHECK-DAG: stablehlo.constant dense<[1073217536, 2147483648]> : tensor<2xui32>
// CHECK-NOT: f64
func.func @constants(%x: tensor<3xf32>) -> tensor<2xf64> {
  %0 = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// Movement is the same on both words, and 64-bit integers are joined of them.
// CHECK-LABEL: @movement
// CHECK-COUNT-2: stablehlo.transpose {{.*}} -> tensor<5x3xui32>
// CHECK: stablehlo.shift_left
// CHECK: stablehlo.or {{.*}} : tensor<5x3xui64>
// CHECK-NOT: xf64
func.func @movement(%x: tensor<3x5xf64>) -> tensor<5x3xui64> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x5xf64>) -> tensor<5x3xf64>
  %1 = stablehlo.bitcast_convert %0 : (tensor<5x3xf64>) -> tensor<5x3xui64>
  return %1 : tensor<5x3xui64>
}

// -----

// The operations of a sum have one number, that of a product the next one.
// CHECK-LABEL: @arithmetic
// CHECK: stablehlo.count_leading_zeros {{.*}} {kernel.expanded = 0 : i32}
// CHECK: kernel.mul_high {{.*}} {kernel.expanded = 1 : i32}
// CHECK-NOT: xf64
func.func @arithmetic(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %0 = stablehlo.add %x, %y : tensor<4xf64>
  %1 = stablehlo.multiply %0, %y : tensor<4xf64>
  return %1 : tensor<4xf64>
}

// -----

// Special functions are polynomials in integers, whose coefficients depend on the piece.
// CHECK-LABEL: @special_functions
// CHECK-COUNT-20: kernel.mul_high
// CHECK-NOT: {{chlo|f64>}}
func.func @special_functions(%x: tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>) {
  %0 = chlo.erf_inv %x : tensor<3xf64> -> tensor<3xf64>
  %1 = chlo.lgamma %x : tensor<3xf64> -> tensor<3xf64>
  return %0, %1 : tensor<3xf64>, tensor<3xf64>
}
