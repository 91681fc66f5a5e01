// A value that a loop stores in a part of an array is read there, in the iteration that stores it: rows of its own
// parts are added to the row of the part.
// RUN: systole-opt --systole-pipeline="to=kernel target=v2 cross-kernel=false" %s | FileCheck %s

// CHECK:       %[[SLOT:.*]] = arith.muli %{{.*}}, %c32_i32
// CHECK-NEXT:  kernel.hbm 1
// CHECK-NEXT:  kernel.hbm [[STACK:2]] : <1x4x8x128xf32, hbm>
// CHECK-NEXT:  kernel.call @sine_transpose_fusion(%{{.*}}) scalars(%[[SLOT]])
// CHECK:       %[[ROW:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK-NEXT:  %[[PART:.*]] = arith.addi %[[SLOT]], %[[ROW]]
// CHECK:       kernel.hbm [[STACK]] : <8x128xf32, hbm>
// CHECK:       kernel.call @sine_add_fusion(%{{.*}}) scalars(%[[PART]])
func.func @main(%x: tensor<32x128xf32>) -> (tensor<32x128xf32>, tensor<3x4x8x128xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %trips = stablehlo.constant dense<3> : tensor<i32>
  %rounds = stablehlo.constant dense<4> : tensor<i32>
  %stack = stablehlo.constant dense<0.0> : tensor<3x4x8x128xf32>
  %none = stablehlo.constant dense<0.0> : tensor<8x128xf32>
  %r:3 = stablehlo.while(%i = %zero, %c = %x, %s = %stack) : tensor<i32>, tensor<32x128xf32>, tensor<3x4x8x128xf32>
  cond {
    %p = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %sum = stablehlo.sine %c : tensor<32x128xf32>
    %split = stablehlo.reshape %sum : (tensor<32x128xf32>) -> tensor<8x4x128xf32>
    %v = stablehlo.transpose %split, dims = [1, 0, 2] : (tensor<8x4x128xf32>) -> tensor<4x8x128xf32>
    %q:2 = stablehlo.while(%j = %zero, %a = %none) : tensor<i32>, tensor<8x128xf32>
    cond {
      %p = stablehlo.compare LT, %j, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %part = stablehlo.dynamic_slice %v, %j, %zero, %zero, sizes = [1, 8, 128] : (tensor<4x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
      %row = stablehlo.reshape %part : (tensor<1x8x128xf32>) -> tensor<8x128xf32>
      %sine = stablehlo.sine %a : tensor<8x128xf32>
      %next = stablehlo.add %sine, %row : tensor<8x128xf32>
      %k = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %k, %next : tensor<i32>, tensor<8x128xf32>
    }
    %all = stablehlo.broadcast_in_dim %q#1, dims = [1, 2] : (tensor<8x128xf32>) -> tensor<4x8x128xf32>
    %d = stablehlo.reshape %all : (tensor<4x8x128xf32>) -> tensor<32x128xf32>
    %row = stablehlo.reshape %v : (tensor<4x8x128xf32>) -> tensor<1x4x8x128xf32>
    %t = stablehlo.dynamic_update_slice %s, %row, %i, %zero, %zero, %zero : (tensor<3x4x8x128xf32>, tensor<1x4x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x8x128xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %d, %t : tensor<i32>, tensor<32x128xf32>, tensor<3x4x8x128xf32>
  }
  return %r#1, %r#2 : tensor<32x128xf32>, tensor<3x4x8x128xf32>
}
