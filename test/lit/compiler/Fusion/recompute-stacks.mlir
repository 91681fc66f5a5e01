// RUN: %systole-opt %s --systole-recompute-stacks --split-input-file | FileCheck %s

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

// -----

// Operands that are read twice are visited once: here there are 2^40 paths from the stacked value.
// CHECK-LABEL: @shared
// CHECK: stablehlo.while
// CHECK: stablehlo.add
// CHECK: stablehlo.dynamic_update_slice
func.func @shared(%x: tensor<8x128xf32>) -> tensor<5x8x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<5x8x128xf32>
  %r:4 = stablehlo.while(%i = %first, %s = %x, %a = %none, %b = %none)
      : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>, tensor<5x8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %y0 = stablehlo.tanh %s : tensor<8x128xf32>
    %y1 = stablehlo.add %y0, %y0 : tensor<8x128xf32>
    %y2 = stablehlo.add %y1, %y1 : tensor<8x128xf32>
    %y3 = stablehlo.add %y2, %y2 : tensor<8x128xf32>
    %y4 = stablehlo.add %y3, %y3 : tensor<8x128xf32>
    %y5 = stablehlo.add %y4, %y4 : tensor<8x128xf32>
    %y6 = stablehlo.add %y5, %y5 : tensor<8x128xf32>
    %y7 = stablehlo.add %y6, %y6 : tensor<8x128xf32>
    %y8 = stablehlo.add %y7, %y7 : tensor<8x128xf32>
    %y9 = stablehlo.add %y8, %y8 : tensor<8x128xf32>
    %y10 = stablehlo.add %y9, %y9 : tensor<8x128xf32>
    %y11 = stablehlo.add %y10, %y10 : tensor<8x128xf32>
    %y12 = stablehlo.add %y11, %y11 : tensor<8x128xf32>
    %y13 = stablehlo.add %y12, %y12 : tensor<8x128xf32>
    %y14 = stablehlo.add %y13, %y13 : tensor<8x128xf32>
    %y15 = stablehlo.add %y14, %y14 : tensor<8x128xf32>
    %y16 = stablehlo.add %y15, %y15 : tensor<8x128xf32>
    %y17 = stablehlo.add %y16, %y16 : tensor<8x128xf32>
    %y18 = stablehlo.add %y17, %y17 : tensor<8x128xf32>
    %y19 = stablehlo.add %y18, %y18 : tensor<8x128xf32>
    %y20 = stablehlo.add %y19, %y19 : tensor<8x128xf32>
    %y21 = stablehlo.add %y20, %y20 : tensor<8x128xf32>
    %y22 = stablehlo.add %y21, %y21 : tensor<8x128xf32>
    %y23 = stablehlo.add %y22, %y22 : tensor<8x128xf32>
    %y24 = stablehlo.add %y23, %y23 : tensor<8x128xf32>
    %y25 = stablehlo.add %y24, %y24 : tensor<8x128xf32>
    %y26 = stablehlo.add %y25, %y25 : tensor<8x128xf32>
    %y27 = stablehlo.add %y26, %y26 : tensor<8x128xf32>
    %y28 = stablehlo.add %y27, %y27 : tensor<8x128xf32>
    %y29 = stablehlo.add %y28, %y28 : tensor<8x128xf32>
    %y30 = stablehlo.add %y29, %y29 : tensor<8x128xf32>
    %y31 = stablehlo.add %y30, %y30 : tensor<8x128xf32>
    %y32 = stablehlo.add %y31, %y31 : tensor<8x128xf32>
    %y33 = stablehlo.add %y32, %y32 : tensor<8x128xf32>
    %y34 = stablehlo.add %y33, %y33 : tensor<8x128xf32>
    %y35 = stablehlo.add %y34, %y34 : tensor<8x128xf32>
    %y36 = stablehlo.add %y35, %y35 : tensor<8x128xf32>
    %y37 = stablehlo.add %y36, %y36 : tensor<8x128xf32>
    %y38 = stablehlo.add %y37, %y37 : tensor<8x128xf32>
    %y39 = stablehlo.add %y38, %y38 : tensor<8x128xf32>
    %y40 = stablehlo.add %y39, %y39 : tensor<8x128xf32>
    %first_row = stablehlo.reshape %y0 : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %last_row = stablehlo.reshape %y40 : (tensor<8x128xf32>) -> tensor<1x8x128xf32>
    %a1 = stablehlo.dynamic_update_slice %a, %first_row, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %b1 = stablehlo.dynamic_update_slice %b, %last_row, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y0, %a1, %b1
        : tensor<i32>, tensor<8x128xf32>, tensor<5x8x128xf32>, tensor<5x8x128xf32>
  }
  return %r#3 : tensor<5x8x128xf32>
}
