// RUN: %systole-opt %s --systole-simplify-loops | FileCheck %s

// The limit %n passes through unchanged and the unread value not at all: both
// leave the loop, and the condition reads %n from outside.
// CHECK-LABEL: @count
// CHECK-SAME: %[[N:.*]]: tensor<i32>, %[[X:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = stablehlo.while(%[[I:.*]] = %{{.*}}) : tensor<i32>
// CHECK: stablehlo.compare LT, %[[I]], %[[N]]
// CHECK: return %[[R]], %[[N]]
func.func @count(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %m = %n, %u = %x) : tensor<i32>, tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %fresh = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %f = stablehlo.convert %fresh : (tensor<4xi32>) -> tensor<4xf32>
    stablehlo.return %next, %m, %f : tensor<i32>, tensor<i32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<i32>
}
