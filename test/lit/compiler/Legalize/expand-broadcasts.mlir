// RUN: %systole-opt %s --systole-expand-broadcasts | FileCheck %s

// CHECK-LABEL: @broadcasts
// CHECK: %[[Y:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
// CHECK: stablehlo.subtract %[[Y]], %arg0 : tensor<3x4xf32>
// CHECK: %[[Z:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
// CHECK: stablehlo.compare LE, %arg0, %[[Z]], TOTALORDER
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<i1>) -> tensor<3x4xi1>
// CHECK: stablehlo.select
// CHECK: chlo.next_after %arg0, %{{.*}} : tensor<3x4xf32>
func.func @broadcasts(%x: tensor<3x4xf32>, %y: tensor<3xf32>, %z: tensor<1x4xf32>, %p: tensor<i1>)
    -> (tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = chlo.broadcast_subtract %y, %x {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = chlo.broadcast_compare %x, %z {comparison_direction = #chlo<comparison_direction LE>, compare_type = #chlo<comparison_type TOTALORDER>} : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xi1>
  %2 = chlo.broadcast_select %p, %x, %z : (tensor<i1>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %3 = chlo.broadcast_next_after %x, %z : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>
}

// Before elements of less than a byte are stored in bytes, which operations on their bits see.
// CHECK-LABEL: @narrow
// CHECK: stablehlo.shift_right_logical %arg0, %{{.*}} : tensor<4xi4>
func.func @narrow(%x: tensor<4xi4>, %y: tensor<i4>) -> tensor<4xi4> {
  %0 = chlo.broadcast_shift_right_logical %x, %y : (tensor<4xi4>, tensor<i4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}
