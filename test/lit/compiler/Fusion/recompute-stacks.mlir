// RUN: %systole-opt %s --systole-recompute-stacks | FileCheck %s

// A loop stacks y = tanh(s) and 1 - y, and another one reads both backwards: that computes the second
// one. exp(y) is read where y is not, so it stays.
// CHECK-LABEL: @pair
// CHECK: %[[R:.*]]:5 = stablehlo.while
// The array of 1 - y is carried as it is.
// CHECK: stablehlo.dynamic_update_slice
// CHECK: stablehlo.dynamic_update_slice %[[OLD:[^,]*]], %{{.*}}
// CHECK: stablehlo.return %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[OLD]], %{{[^,]*}} :
// CHECK: stablehlo.while
// CHECK: %[[BACK:.*]] = stablehlo.subtract
// CHECK: stablehlo.dynamic_slice %[[R]]#2, %[[BACK]]
// CHECK-NEXT: %[[SLICE:.*]] = stablehlo.dynamic_slice %[[R]]#2, %[[BACK]]
// CHECK: %[[Y:.*]] = stablehlo.reshape %[[SLICE]]
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<8x128xf32>
// CHECK: %[[REST:.*]] = stablehlo.subtract %[[ONE]], %[[Y]]
// CHECK-NOT: stablehlo.dynamic_slice %[[R]]#3
// CHECK: stablehlo.multiply %{{.*}}, %[[REST]]
// CHECK: stablehlo.dynamic_slice %[[R]]#4
func.func @pair(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<4> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<5x8x128xf32>
  %r:5 = stablehlo.while(%i = %first, %s = %x, %a = %none, %b = %none, %c = %none)
      : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>, tensor<5x8x128xf32>,
        tensor<5x8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y = stablehlo.tanh %s : tensor<8x128xf32>
    %ones = stablehlo.constant dense<1.0> : tensor<8x128xf32>
    %rest = stablehlo.subtract %ones, %y : tensor<8x128xf32>
    %exp = stablehlo.exponential %y : tensor<8x128xf32>
    %y1 = stablehlo.reshape %y : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %rest1 = stablehlo.reshape %rest : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %exp1 = stablehlo.reshape %exp : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %y1, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %b1 = stablehlo.dynamic_update_slice %b, %rest1, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %c1 = stablehlo.dynamic_update_slice %c, %exp1, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %rest, %a1, %b1, %c1
        : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>, tensor<5x8x128xf32>,
          tensor<5x8x128xf32>
  }
  %q:2 = stablehlo.while(%i = %first, %s = %x) : tensor<i32>, tensor<8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %back = stablehlo.subtract %last, %i : tensor<i32>
    %y1 = stablehlo.dynamic_slice %r#2, %back, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %rest1 = stablehlo.dynamic_slice %r#3, %back, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %y = stablehlo.reshape %y1 : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
    %rest = stablehlo.reshape %rest1 : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
    %t = stablehlo.multiply %y, %rest : tensor<8x128xf32>
    %exp1 = stablehlo.dynamic_slice %r#4, %i, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %exp = stablehlo.reshape %exp1 : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
    %u = stablehlo.add %t, %exp : tensor<8x128xf32>
    %v = stablehlo.add %u, %s : tensor<8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %v : tensor<i32>, tensor<8x128xf32>
  }
  return %q#1 : tensor<8x128xf32>
}
