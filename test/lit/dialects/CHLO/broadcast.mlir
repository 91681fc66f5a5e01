// CHLO operations that broadcast.
// RUN: %systole-opt %s | FileCheck %s

// CHECK-LABEL: @floats
func.func @floats(%x: tensor<3xf32>, %y: tensor<3x4xf32>) {
  // CHECK: chlo.broadcast_add %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_atan2 %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = chlo.broadcast_atan2 %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_divide %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = chlo.broadcast_divide %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_maximum %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = chlo.broadcast_maximum %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_minimum %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %4 = chlo.broadcast_minimum %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_multiply %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = chlo.broadcast_multiply %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_next_after %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %6 = chlo.broadcast_next_after %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_power %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %7 = chlo.broadcast_power %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_remainder %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %8 = chlo.broadcast_remainder %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  // CHECK: chlo.broadcast_subtract %arg0, %arg1 {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %9 = chlo.broadcast_subtract %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// Without dimensions, the last ones meet; sizes of 1 become those that they meet.
// CHECK-LABEL: @integers
func.func @integers(%x: tensor<4xi32>, %y: tensor<3x1xi32>) {
  // CHECK: chlo.broadcast_and %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %0 = chlo.broadcast_and %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  // CHECK: chlo.broadcast_or %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %1 = chlo.broadcast_or %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  // CHECK: chlo.broadcast_xor %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %2 = chlo.broadcast_xor %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  // CHECK: chlo.broadcast_shift_left %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %3 = chlo.broadcast_shift_left %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  // CHECK: chlo.broadcast_shift_right_arithmetic %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %4 = chlo.broadcast_shift_right_arithmetic %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  // CHECK: chlo.broadcast_shift_right_logical %arg0, %arg1 : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  %5 = chlo.broadcast_shift_right_logical %x, %y : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: @choice
func.func @choice(%p: tensor<4xi1>, %x: tensor<3x4xf32>, %y: tensor<f32>) {
  // CHECK: chlo.broadcast_compare %arg1, %arg2 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
  // CHECK: chlo.broadcast_compare %arg1, %arg2 {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction GE>} :
  %1 = chlo.broadcast_compare %x, %y {compare_type = #chlo<comparison_type TOTALORDER>, comparison_direction = #chlo<comparison_direction GE>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xi1>
  // CHECK: chlo.broadcast_select %arg0, %arg1, %arg2 : (tensor<4xi1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %2 = chlo.broadcast_select %p, %x, %y : (tensor<4xi1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}
