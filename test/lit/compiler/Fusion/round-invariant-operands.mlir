// RUN: %systole-opt %s --systole-round-invariant-operands | FileCheck %s

// The weights of one pass are rounded in front of the loop; not those that something else reads, nor
// those of a product of several passes. What the loop changes stays.
// CHECK-LABEL: @weights
// CHECK-SAME: %[[W:[^:]*]]: tensor<128x128xf32>, %[[V:[^:]*]]: tensor<128x128xf32>, %[[U:[^:]*]]: tensor<128x128xf32>
// CHECK-NOT: stablehlo.convert
// CHECK: %[[B:.*]] = stablehlo.convert %[[W]] : (tensor<128x128xf32>) -> tensor<128x128xbf16>
// CHECK-NOT: stablehlo.convert
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general %[[S:[^,]*]], %[[B]], {{.*}} {kernel.single_pass}
// CHECK: stablehlo.dot_general %[[S]], %[[V]]
// CHECK: stablehlo.dot_general %[[S]], %[[U]]
func.func @weights(%w: tensor<128x128xf32>, %v: tensor<128x128xf32>, %u: tensor<128x128xf32>,
                   %h: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %first, %s = %h) : tensor<i32>, tensor<128x128xf32>
  cond {
    %trips = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] {kernel.single_pass}
        : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %b = stablehlo.dot_general %s, %v, contracting_dims = [1] x [0] {kernel.single_pass}
        : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %c = stablehlo.dot_general %s, %u, contracting_dims = [1] x [0]
        : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %d = stablehlo.add %a, %v : tensor<128x128xf32>
    %e = stablehlo.add %b, %c : tensor<128x128xf32>
    %f = stablehlo.add %d, %e : tensor<128x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %f : tensor<i32>, tensor<128x128xf32>
  }
  return %r#1 : tensor<128x128xf32>
}

// Of two nested loops the outer one; three trips alone save less than rounding takes.
// CHECK-LABEL: @nested
// CHECK-SAME: %[[W:[^:]*]]: tensor<128x128xf32>
// CHECK-NEXT: %{{.*}} = stablehlo.constant
// CHECK-NEXT: stablehlo.while
// CHECK: %[[B:.*]] = stablehlo.convert %[[W]]
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general %{{.*}}, %[[B]]
func.func @nested(%w: tensor<128x128xf32>, %h: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %first, %s = %h) : tensor<i32>, tensor<128x128xf32>
  cond {
    %trips = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %q:2 = stablehlo.while(%j = %first, %t = %s) : tensor<i32>, tensor<128x128xf32>
    cond {
      %trips = stablehlo.constant dense<4> : tensor<i32>
      %p = stablehlo.compare LT, %j, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %a = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] {kernel.single_pass}
          : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
      %more = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %more, %a : tensor<i32>, tensor<128x128xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %q#1 : tensor<i32>, tensor<128x128xf32>
  }
  return %r#1 : tensor<128x128xf32>
}
