// RUN: %systole-opt %s --systole-fuse='target=v3' | FileCheck %s

// Kernels of a loop's body and the copies of what it carries.

// One kernel would read windows of %a while it writes the next one, which then had a buffer of its own and were copied
// in each trip.
// CHECK-LABEL: @window
// CHECK: stablehlo.while(%{{[^ ]*}} = %{{[^ ]*}}, %[[A:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}})
// CHECK: kernel.fusion "loop" ({{.*}} = %[[A]], {{.*}}) {{.*}} -> tensor<1x128xf32>
// CHECK: kernel.fusion "loop" ({{.*}} = %[[A]]) {{.*}} -> tensor<512x128xf32>
func.func @window(%x: tensor<512x128xf32>, %y: tensor<1x128xf32>) -> (tensor<512x128xf32>, tensor<1x128xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:3 = stablehlo.while(%i = %first, %a = %x, %b = %y) : tensor<i32>, tensor<512x128xf32>, tensor<1x128xf32>
  cond {
    %trips = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %row = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 128] {kernel.access = "window"} : (tensor<512x128xf32>, tensor<i32>, tensor<i32>) -> tensor<1x128xf32>
    %sum = stablehlo.add %row, %b : tensor<1x128xf32>
    %next = stablehlo.exponential %a : tensor<512x128xf32>
    %more = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %more, %next, %sum : tensor<i32>, tensor<512x128xf32>, tensor<1x128xf32>
  }
  return %r#1, %r#2 : tensor<512x128xf32>, tensor<1x128xf32>
}
