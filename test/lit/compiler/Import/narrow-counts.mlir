// RUN: %systole-opt %s --systole-narrow-counts | FileCheck %s

// The index of each element, of 12, and its upper half.
// CHECK-LABEL: @positions
// CHECK-NOT: 64
// CHECK: stablehlo.iota dim = 0 : tensor<3x4xui32>
// CHECK: stablehlo.multiply %{{.*}} : tensor<3x4xui32>
// CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}} : tensor<3x4xui32>
// CHECK: stablehlo.convert %[[SUM]] : tensor<3x4xui32>
// CHECK: %[[UPPER:.*]] = stablehlo.constant dense<0> : tensor<3x4xui32>
// CHECK: stablehlo.convert %[[UPPER]] : tensor<3x4xui32>
func.func @positions() -> (tensor<3x4xui32>, tensor<3x4xui32>) {
  %i = stablehlo.iota dim = 0 : tensor<3x4xui64>
  %j = stablehlo.iota dim = 1 : tensor<3x4xui64>
  %four = stablehlo.constant dense<4> : tensor<ui64>
  %fours = stablehlo.broadcast_in_dim %four, dims = [] : (tensor<ui64>) -> tensor<3x4xui64>
  %rows = stablehlo.multiply %i, %fours : tensor<3x4xui64>
  %sum = stablehlo.add %rows, %j : tensor<3x4xui64>
  %low = stablehlo.convert %sum : (tensor<3x4xui64>) -> tensor<3x4xui32>
  %by = stablehlo.constant dense<32> : tensor<3x4xui64>
  %upper = stablehlo.shift_right_logical %sum, %by : tensor<3x4xui64>
  %high = stablehlo.convert %upper : (tensor<3x4xui64>) -> tensor<3x4xui32>
  return %low, %high : tensor<3x4xui32>, tensor<3x4xui32>
}

// What does not fit stays, and what it is made of; so does what is used as it is.
// CHECK-LABEL: @large
// CHECK: stablehlo.iota dim = 0 : tensor<3xi64>
// CHECK: stablehlo.multiply %{{.*}} : tensor<3xi64>
// CHECK: stablehlo.iota dim = 0 : tensor<5xi64>
func.func @large() -> (tensor<3xi32>, tensor<5xi64>) {
  %i = stablehlo.iota dim = 0 : tensor<3xi64>
  %c = stablehlo.constant dense<2147483648> : tensor<3xi64>
  %p = stablehlo.multiply %i, %c : tensor<3xi64>
  %low = stablehlo.convert %p : (tensor<3xi64>) -> tensor<3xi32>
  %j = stablehlo.iota dim = 0 : tensor<5xi64>
  return %low, %j : tensor<3xi32>, tensor<5xi64>
}
