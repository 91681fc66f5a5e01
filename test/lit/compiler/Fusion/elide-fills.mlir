// RUN: %systole-opt %s --systole-elide-fills | FileCheck %s

// Of the three arrays the first one gets all of its rows, in whatever order; the second one keeps a row,
// and the third one is read.
// CHECK-LABEL: @stacks
// CHECK-DAG: %[[FULL:.*]] = kernel.uninitialized : tensor<5x8x128xf32>
// CHECK-DAG: %[[FIVE:.*]] = stablehlo.constant dense<5.000000e+00> : tensor<6x8x128xf32>
// CHECK-DAG: %[[SIX:.*]] = stablehlo.constant dense<6.000000e+00> : tensor<5x8x128xf32>
// CHECK-NOT: dense<4.000000e+00>
// CHECK: stablehlo.while({{.*}} = %[[FULL]], {{.*}} = %[[FIVE]], {{.*}} = %[[SIX]])
func.func @stacks(%x: tensor<1x8x128xf32>)
    -> (tensor<5x8x128xf32>, tensor<6x8x128xf32>, tensor<5x8x128xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %a0 = stablehlo.constant dense<4.0> : tensor<5x8x128xf32>
  %b0 = stablehlo.constant dense<5.0> : tensor<6x8x128xf32>
  %c0 = stablehlo.constant dense<6.0> : tensor<5x8x128xf32>
  %r:4 = stablehlo.while(%i = %first, %a = %a0, %b = %b0, %c = %c0)
      : tensor<i32>, tensor<5x8x128xf32>, tensor<6x8x128xf32>, tensor<5x8x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %last = stablehlo.constant dense<4> : tensor<i32>
    %back = stablehlo.subtract %last, %i : tensor<i32>
    %a1 = stablehlo.dynamic_update_slice %a, %x, %back, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %b1 = stablehlo.dynamic_update_slice %b, %x, %i, %zero, %zero
        : (tensor<6x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<6x8x128xf32>
    %row = stablehlo.dynamic_slice %c, %back, %zero, %zero, sizes = [1, 8, 128]
        : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %c1 = stablehlo.dynamic_update_slice %c, %row, %i, %zero, %zero
        : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<5x8x128xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %a1, %b1, %c1
        : tensor<i32>, tensor<5x8x128xf32>, tensor<6x8x128xf32>, tensor<5x8x128xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<5x8x128xf32>, tensor<6x8x128xf32>, tensor<5x8x128xf32>
}
