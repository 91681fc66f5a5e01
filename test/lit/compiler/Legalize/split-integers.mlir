// RUN: %systole-opt %s --systole-split-integers --canonicalize --split-input-file | FileCheck %s

// Arguments and results are two planes; a carry is an unsigned comparison.
// CHECK-LABEL: @main
// CHECK-SAME: (%[[XL:.*]]: tensor<3xui32> {kernel.element = i64, tf.aliasing_output = 0 : i32}, %[[XH:.*]]: tensor<3xui32> {kernel.element = i64, tf.aliasing_output = 0 : i32}, %[[YL:.*]]: tensor<3xui32> {kernel.element = i64}, %[[YH:.*]]: tensor<3xui32> {kernel.element = i64})
// CHECK-SAME: -> (tensor<3xui32> {kernel.element = i64}, tensor<3xui32> {kernel.element = i64})
// CHECK: %[[L:.*]] = stablehlo.add %[[XL]], %[[YL]]
// CHECK: %[[LESS:.*]] = stablehlo.compare LT, %[[L]], %[[YL]]
// CHECK: %[[CARRY:.*]] = stablehlo.convert %[[LESS]] {kernel.expanded} : (tensor<3xi1>) -> tensor<3xui32>
// CHECK: %[[H:.*]] = stablehlo.add %[[XH]], %[[CARRY]]
// CHECK: %[[SUM:.*]] = stablehlo.add %[[H]], %[[YH]]
// CHECK: return %[[L]], %[[SUM]]
func.func @main(%x: tensor<3xi64> {tf.aliasing_output = 0 : i32}, %y: tensor<3xi64>) -> tensor<3xi64> {
  %0 = stablehlo.add %x, %y : tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

// The index of each of 12 elements, and its upper half: values that fit 32 bits are one word.
// CHECK-LABEL: @positions
// CHECK-NOT: 64
// CHECK: stablehlo.iota dim = 0 : tensor<3x4xui32>
// CHECK: stablehlo.iota dim = 1 : tensor<3x4xui32>
// CHECK: stablehlo.multiply
// CHECK: %[[SUM:.*]] = stablehlo.add
// CHECK-NOT: stablehlo.compare
// CHECK: return %[[SUM]]
func.func @positions() -> (tensor<3x4xui32>, tensor<3x4xui32>) {
  %i = stablehlo.iota dim = 0 : tensor<3x4xui64>
  %j = stablehlo.iota dim = 1 : tensor<3x4xui64>
  %four = stablehlo.constant dense<4> : tensor<ui64>
  %fours = stablehlo.broadcast_in_dim %four, dims = [] : (tensor<ui64>) -> tensor<3x4xui64>
  %rows = stablehlo.multiply %i, %fours : tensor<3x4xui64>
  %sum = stablehlo.add %rows, %j : tensor<3x4xui64>
  %low = stablehlo.convert %sum : (tensor<3x4xui64>) -> tensor<3x4xui32>
  %by = stablehlo.constant dense<32> : tensor<3x4xui64>
  %upper = stablehlo.shift_right_logical %sum, %by : tensor<3x4xui64>
  %high = stablehlo.convert %upper : (tensor<3x4xui64>) -> tensor<3x4xui32>
  return %low, %high : tensor<3x4xui32>, tensor<3x4xui32>
}

// -----

// The loop's condition bounds the counter; the sum is unbounded.
// CHECK-LABEL: @loop
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<i32>, tensor<ui32>, tensor<ui32>
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<i32>
func.func @loop(%x: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<100> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i64>, tensor<i64>
  cond {
    %p = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i64>
    %sum = stablehlo.add %s, %i : tensor<i64>
    stablehlo.return %next, %sum : tensor<i64>, tensor<i64>
  }
  return %r#1 : tensor<i64>
}

// -----

// Indices outside of i32 are saturated.
// CHECK-LABEL: @position
// CHECK-SAME: (%{{.*}}: tensor<9xf32>, %[[L:.*]]: tensor<ui32> {kernel.element = ui64}, %[[H:.*]]: tensor<ui32> {kernel.element = ui64})
// CHECK-DAG: %[[MOST:.*]] = stablehlo.constant dense<2147483647> : tensor<i32>
// CHECK: stablehlo.minimum %[[L]]
// CHECK: stablehlo.compare NE, %[[H]]
// CHECK: %[[AT:.*]] = stablehlo.select %{{.*}}, %[[MOST]]
// CHECK: stablehlo.dynamic_slice %{{.*}}, %[[AT]]
func.func @position(%x: tensor<9xf32>, %i: tensor<ui64>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<9xf32>, tensor<ui64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A body takes both words of both numbers.
// CHECK-LABEL: @maximum
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0]
// CHECK-SAME: (tensor<5xui32>, tensor<5xui32>, tensor<ui32>, tensor<ui32>) -> (tensor<ui32>, tensor<ui32>)
// CHECK: stablehlo.compare LT, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
func.func @maximum(%x: tensor<5xi64>) -> tensor<i64> {
  %least = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %0 = "stablehlo.reduce"(%x, %least) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %m = stablehlo.maximum %a, %b : tensor<i64>
    stablehlo.return %m : tensor<i64>
  }) : (tensor<5xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// A contraction of bytes: each byte of the result has 1, 2, ... 8 concatenated pairs.
// CHECK-LABEL: @product
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<3x5xui8>, tensor<5x2xui8>) -> tensor<3x2xui32>
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<3x10xui8>, tensor<10x2xui8>) -> tensor<3x2xui32>
// CHECK-COUNT-5: stablehlo.dot_general
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<3x40xui8>, tensor<40x2xui8>) -> tensor<3x2xui32>
// CHECK-NOT: stablehlo.dot_general
func.func @product(%x: tensor<3x5xi64>, %y: tensor<5x2xi64>) -> tensor<3x2xi64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xi64>, tensor<5x2xi64>) -> tensor<3x2xi64>
  return %0 : tensor<3x2xi64>
}

// -----

// Both planes are sent; the high one of a value that fits 32 bits is its sign.
// CHECK-LABEL: @transfers
// CHECK-SAME: (%[[L:.*]]: tensor<3xui32> {kernel.element = i64}, %[[H:.*]]: tensor<3xui32> {kernel.element = i64}, %[[N:.*]]: tensor<i32>)
// CHECK: kernel.send %[[L]] to 2 words <0 of i64> : tensor<3xui32>
// CHECK: kernel.send %[[H]] to 2 words <1 of i64> : tensor<3xui32>
// CHECK: %[[LOW:.*]] = stablehlo.bitcast_convert %[[N]] {{.*}} : (tensor<i32>) -> tensor<ui32>
// CHECK: stablehlo.shift_right_arithmetic %[[N]]
// CHECK: kernel.send %[[LOW]] to 2 array 1 words <0 of i64> : tensor<ui32>
// CHECK: kernel.send %{{.*}} to 2 array 1 words <1 of i64> : tensor<ui32>
// CHECK: %[[RL:.*]] = kernel.recv 3 words <0 of ui64> : tensor<0x3xui32>
// CHECK: %[[RH:.*]] = kernel.recv 3 words <1 of ui64> : tensor<0x3xui32>
// CHECK: return %[[RL]], %[[RH]]
func.func @transfers(%x: tensor<3xi64>, %n: tensor<i32>) -> tensor<0x3xui64> {
  kernel.send %x to 2 : tensor<3xi64>
  %wide = stablehlo.convert %n : (tensor<i32>) -> tensor<i64>
  kernel.send %wide to 2 array 1 : tensor<i64>
  %r = kernel.recv 3 : tensor<0x3xui64>
  return %r : tensor<0x3xui64>
}

// -----

// A batch of 74 chunks of 8192 products, and their sum.
// CHECK-LABEL: @deep
// CHECK: stablehlo.pad %{{.*}} : (tensor<2x600000xui32>, tensor<ui32>) -> tensor<2x606208xui32>
// CHECK: stablehlo.reshape %{{.*}} -> tensor<2x74x8192xui32>
// CHECK: stablehlo.reshape %{{.*}} -> tensor<74x8192x3xui32>
// CHECK: stablehlo.dot_general %{{.*}}, batching_dims = [1] x [0], contracting_dims = [2] x [1] : {{.*}} -> tensor<74x2x3xui32>
// CHECK: stablehlo.reduce{{.*}} across dimensions = [0]
func.func @deep(%x: tensor<2x600000xi64>, %y: tensor<600000x3xi64>) -> tensor<2x3xi64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x600000xi64>, tensor<600000x3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}
