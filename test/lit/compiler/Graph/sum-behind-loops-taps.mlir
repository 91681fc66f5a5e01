// Taps do not decide where a product is summed, and see the running sum as the loop has it.
// RUN: systole-opt --systole-sum-behind-loops %s | FileCheck %s

module attributes {kernel.first_tap = 5 : i64} {
// The sum of each trip stays for the tap, and the result is that of one product of all trips.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: do {
// CHECK: %[[P:.*]] = stablehlo.dot_general
// CHECK: kernel.send %[[P]] to 5
// CHECK: %[[S:.*]] = stablehlo.add %{{.*}}, %[[P]]
// CHECK: kernel.send %[[S]] to 8
// CHECK: stablehlo.return %{{.*}}, %[[S]]
// CHECK: }
// CHECK: %[[ALL:.*]] = stablehlo.dot_general {{.*}} contracting_dims = [0, 1] x [0, 1]
// CHECK: return %[[ALL]]
func.func @main(%x: tensor<6x4x8xf32>, %y: tensor<6x4x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %init = stablehlo.constant dense<0.0> : tensor<8x8xf32>
  %loop:2 = stablehlo.while(%i = %zero, %sum = %init) : tensor<i32>, tensor<8x8xf32>
    cond {
      %less = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %xs = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 4, 8] : (tensor<6x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
      %ys = stablehlo.dynamic_slice %y, %i, %zero, %zero, sizes = [1, 4, 8] : (tensor<6x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
      %a = stablehlo.reshape %xs : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %b = stablehlo.reshape %ys : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
      %p = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
      kernel.send %p to 5 : tensor<8x8xf32>
      %own = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
      kernel.send %own to 6 : tensor<8x8xf32>
      %next = stablehlo.add %sum, %p : tensor<8x8xf32>
      kernel.send %next to 8 : tensor<8x8xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %next : tensor<i32>, tensor<8x8xf32>
    }
  return %loop#1 : tensor<8x8xf32>
}
}
