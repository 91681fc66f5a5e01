// RUN: %systole-opt %s --systole-batch-loop-products --split-input-file | FileCheck %s

// x_t times the input weights is one product in front of the loop, since the recurrent product has the
// kernel of the trip. The rows come in the order in which the loop takes them.
// CHECK-LABEL: @inputs
// CHECK-SAME: %[[X:[^:]*]]: tensor<5x8x16xf32>, %[[W:[^:]*]]: tensor<16x128xf32>
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [2] x [0]
// CHECK-SAME: -> tensor<5x8x128xf32>
// CHECK: stablehlo.while
// CHECK: %[[BACK:.*]] = stablehlo.subtract
// CHECK: %[[SLICE:.*]] = stablehlo.dynamic_slice %[[ALL]], %[[BACK]], %[[ZERO:.*]], %[[ZERO]], sizes = [1, 8, 128]
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[SLICE]] : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
// CHECK: %[[DOT:.*]] = stablehlo.dot_general
// CHECK: stablehlo.add %[[DOT]], %[[ROW]]
func.func @inputs(%x: tensor<5x8x16xf32>, %w: tensor<16x128xf32>, %u: tensor<128x128xf32>,
                  %h: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %first, %s = %h) : tensor<i32>, tensor<8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %last = stablehlo.constant dense<4> : tensor<i32>
    %back = stablehlo.subtract %last, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %x, %back, %zero, %zero, sizes = [1, 8, 16]
        : (tensor<5x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
    %x_t = stablehlo.reshape %slice : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
    %in = stablehlo.dot_general %x_t, %w, contracting_dims = [1] x [0]
        : (tensor<8x16xf32>, tensor<16x128xf32>) -> tensor<8x128xf32>
    %rec = stablehlo.dot_general %s, %u, contracting_dims = [1] x [0]
        : (tensor<8x128xf32>, tensor<128x128xf32>) -> tensor<8x128xf32>
    %sum = stablehlo.add %rec, %in : tensor<8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<8x128xf32>
  }
  return %r#1 : tensor<8x128xf32>
}

// -----

// The gradient of the inputs leaves as rows of an array: its product is behind the loop, with g
// stacked instead of it.
// CHECK-LABEL: @outputs
// CHECK-SAME: %[[W:[^:]*]]: tensor<16x4xf32>
// CHECK: %[[R:.*]]:4 = stablehlo.while
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.return
// CHECK: %[[ALL:.*]] = stablehlo.dot_general %[[R]]#3, %[[W]], contracting_dims = [2] x [1]
// CHECK-SAME: -> tensor<5x8x16xf32>
// CHECK: return %[[ALL]]
func.func @outputs(%w: tensor<16x4xf32>, %h: tensor<8x4xf32>) -> tensor<5x8x16xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<5x8x16xf32>
  %r:3 = stablehlo.while(%i = %first, %s = %h, %rows = %none)
      : tensor<i32>, tensor<8x4xf32>, tensor<5x8x16xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %g = stablehlo.tanh %s : tensor<8x4xf32>
    %out = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1]
        : (tensor<8x4xf32>, tensor<16x4xf32>) -> tensor<8x16xf32>
    %row = stablehlo.reshape %out : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %new = stablehlo.dynamic_update_slice %rows, %row, %i, %zero, %zero
        : (tensor<5x8x16xf32>, tensor<1x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x16xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %g, %new : tensor<i32>, tensor<8x4xf32>, tensor<5x8x16xf32>
  }
  return %r#2 : tensor<5x8x16xf32>
}
