// RUN: %systole-opt %s --systole-sum-behind-loops --split-input-file | FileCheck %s

// The weight and bias gradients of a recurrent layer: x is read backwards from an array, so that g is
// stacked in that order, and one product has the depth of all trips. The bias follows, since g is
// stacked; what the product is transposed and sliced to is done behind the loop.
// CHECK-LABEL: @gradients
// CHECK-SAME: %[[X:.*]]: tensor<5x8x128xf32>
// CHECK: %[[STACK:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<5x8x256xf32>
// CHECK: %[[R:.*]]:6 = stablehlo.while({{.*}} = %[[STACK]])
// CHECK: %[[BACK:.*]] = stablehlo.subtract
// CHECK: %[[G:.*]] = stablehlo.tanh
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[G]] : (tensor<8x256xf32>) -> tensor<1x8x256xf32>
// CHECK: %[[NEXT:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %[[ROW]], %[[BACK]], %[[ZERO:.*]], %[[ZERO]]
// CHECK: stablehlo.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[NEXT]]
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %[[R]]#5, %[[X]], contracting_dims = [0, 1] x [0, 1]
// CHECK-SAME: -> tensor<256x128xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[DOT]]
// CHECK: %[[LEFT:.*]] = stablehlo.slice %[[T]] [0:128, 0:128]
// CHECK: %[[RIGHT:.*]] = stablehlo.slice %[[T]] [0:128, 128:256]
// CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}}, %[[RIGHT]]
// CHECK: %[[BIAS:.*]] = stablehlo.reduce(%[[R]]#5 init: %{{.*}}) applies stablehlo.add across dimensions = [0, 1]
// CHECK: return %[[LEFT]], %[[SUM]], %[[BIAS]]
func.func @gradients(%x: tensor<5x8x128xf32>, %h: tensor<8x256xf32>, %start: tensor<128x128xf32>)
    -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<256xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<128x128xf32>
  %nothing = stablehlo.constant dense<0.0> : tensor<256xf32>
  %r:5 = stablehlo.while(%i = %first, %s = %h, %a = %none, %b = %start, %c = %nothing)
      : tensor<i32>, tensor<8x256xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<256xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %last = stablehlo.constant dense<4> : tensor<i32>
    %back = stablehlo.subtract %last, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %x, %back, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %x_t = stablehlo.reshape %slice : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
    %g = stablehlo.tanh %s : tensor<8x256xf32>
    %dot = stablehlo.dot_general %g, %x_t, contracting_dims = [0] x [0]
        : (tensor<8x256xf32>, tensor<8x128xf32>) -> tensor<256x128xf32>
    %t = stablehlo.transpose %dot, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
    %left = stablehlo.slice %t [0:128, 0:128] : (tensor<128x256xf32>) -> tensor<128x128xf32>
    %right = stablehlo.slice %t [0:128, 128:256] : (tensor<128x256xf32>) -> tensor<128x128xf32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%g init: %f) applies stablehlo.add across dimensions = [0]
        : (tensor<8x256xf32>, tensor<f32>) -> tensor<256xf32>
    %a1 = stablehlo.add %a, %left : tensor<128x128xf32>
    %b1 = stablehlo.add %right, %b : tensor<128x128xf32>
    %c1 = stablehlo.add %c, %sum : tensor<256xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %g, %a1, %b1, %c1
        : tensor<i32>, tensor<8x256xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<256xf32>
  }
  return %r#2, %r#3, %r#4 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<256xf32>
}

// -----

// What the body reads, or another value follows from, stays; and stacks of more bytes than the
// accumulator are not made.
// CHECK-LABEL: @stays
// CHECK: stablehlo.while
// CHECK-COUNT-3: stablehlo.dot_general
// CHECK: stablehlo.return
// CHECK-NOT: stablehlo.dot_general
func.func @stays(%x: tensor<8x16xf32>, %h: tensor<200x8xf32>)
    -> (tensor<8x8xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %small = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %none = stablehlo.constant dense<0.0> : tensor<16x16xf32>
  %r:6 = stablehlo.while(%i = %first, %s = %h, %y = %x, %a = %small, %b = %none, %c = %none)
      : tensor<i32>, tensor<200x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x16xf32>,
        tensor<16x16xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %g = stablehlo.tanh %s : tensor<200x8xf32>
    %z = stablehlo.tanh %y : tensor<8x16xf32>
    %deep = stablehlo.dot_general %g, %g, contracting_dims = [0] x [0]
        : (tensor<200x8xf32>, tensor<200x8xf32>) -> tensor<8x8xf32>
    %read = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0]
        : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %z2 = stablehlo.exponential %y : tensor<8x16xf32>
    %both = stablehlo.dot_general %z2, %z2, contracting_dims = [0] x [0]
        : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %a1 = stablehlo.add %a, %deep : tensor<8x8xf32>
    %b1 = stablehlo.add %b, %read : tensor<16x16xf32>
    %part = stablehlo.slice %b [0:8, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>
    %y1 = stablehlo.add %part, %z : tensor<8x16xf32>
    %other = stablehlo.abs %both : tensor<16x16xf32>
    %sum = stablehlo.add %both, %other : tensor<16x16xf32>
    %c1 = stablehlo.add %c, %sum : tensor<16x16xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %g, %y1, %a1, %b1, %c1
        : tensor<i32>, tensor<200x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x16xf32>,
          tensor<16x16xf32>
  }
  return %r#3, %r#4, %r#5 : tensor<8x8xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
