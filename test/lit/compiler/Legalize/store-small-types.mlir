// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %systole-opt %s --systole-store-small-types --split-input-file | FileCheck %s

// Nothing changes without such types.
// CHECK-LABEL: func.func @other
// CHECK-NEXT: stablehlo.add %{{.*}}: tensor<8xbf16>
// CHECK-NEXT: return
func.func @other(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = stablehlo.add %x, %x : tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// Movement is the same on the bits.
// CHECK-LABEL: func.func @movement
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xui8> {kernel.element = f8E4M3FN}) -> (tensor<8x2xui8> {kernel.element = f8E4M3FN})
// CHECK-NEXT: %[[R:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<2x8xui8>) -> tensor<8x2xui8>
// CHECK-NEXT: return %[[R]]
func.func @movement(%x: tensor<2x8xf8E4M3FN>) -> tensor<8x2xf8E4M3FN> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x8xf8E4M3FN>) -> tensor<8x2xf8E4M3FN>
  return %0 : tensor<8x2xf8E4M3FN>
}

// -----

// A chain decodes its arguments, and rounds without encoding in between. Constants are numbers.
// CHECK-LABEL: func.func @chain
// CHECK-DAG: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<8xf32>
// CHECK: stablehlo.convert %{{.*}}: (tensor<8xui8>) -> tensor<8xi32>
// CHECK: stablehlo.multiply %{{.*}}, %[[TWO]] {{.*}}: tensor<8xf32>
// CHECK-NOT: (tensor<8xui8>) -> tensor<8xi32>
// CHECK: stablehlo.exponential
// CHECK: stablehlo.convert %{{.*}}: (tensor<8xi32>) -> tensor<8xui8>
// CHECK: return
func.func @chain(%x: tensor<8xf8E5M2>) -> tensor<8xf8E5M2> {
  %two = stablehlo.constant dense<2.0> : tensor<8xf8E5M2>
  %0 = stablehlo.multiply %x, %two : tensor<8xf8E5M2>
  %1 = stablehlo.exponential %0 : tensor<8xf8E5M2>
  return %1 : tensor<8xf8E5M2>
}

// -----

// Bodies of reducers stay as they are, in f32.
// CHECK-LABEL: func.func @sum
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] {{.*}}: (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
func.func @sum(%x: tensor<2x8xf4E2M1FN>) -> tensor<2xf4E2M1FN> {
  %zero = stablehlo.constant dense<0.0> : tensor<f4E2M1FN>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x8xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<2xf4E2M1FN>
  return %0 : tensor<2xf4E2M1FN>
}

// -----

// Products take bf16, which represents each number.
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.dot_general {{.*}} : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
func.func @product(%x: tensor<4x8xf8E4M3FN>, %y: tensor<8x4xf6E2M3FN>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<4x8xf8E4M3FN>, tensor<8x4xf6E2M3FN>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Integers are numbers of 8 bits; results wrap.
// CHECK-LABEL: func.func @integers
// CHECK-SAME: (%[[X:.*]]: tensor<8xi8> {kernel.element = i4}, %[[Y:.*]]: tensor<8xui8> {kernel.element = ui2})
// CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[X]] {{.*}}: tensor<8xi8>
// CHECK: %[[HIGH:.*]] = stablehlo.shift_left %[[SUM]], %[[FOUR:.*]] {{.*}}: tensor<8xi8>
// CHECK: stablehlo.shift_right_arithmetic %[[HIGH]], %[[FOUR]] {{.*}}: tensor<8xi8>
// CHECK: %[[PRODUCT:.*]] = stablehlo.multiply %[[Y]], %[[Y]] {{.*}}: tensor<8xui8>
// CHECK: stablehlo.and %[[PRODUCT]], %{{.*}}: tensor<8xui8>
func.func @integers(%x: tensor<8xi4>, %y: tensor<8xui2>) -> (tensor<8xi4>, tensor<8xui2>) {
  %0 = stablehlo.add %x, %x : tensor<8xi4>
  %1 = stablehlo.multiply %y, %y : tensor<8xui2>
  return %0, %1 : tensor<8xi4>, tensor<8xui2>
}

// -----

// Integers wrap once after a sum.
// CHECK-LABEL: func.func @sum_of_integers
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] {{.*}}: (tensor<8xi8>, tensor<i8>) -> tensor<i8>
// CHECK: stablehlo.shift_right_arithmetic
func.func @sum_of_integers(%x: tensor<8xi4>) -> tensor<i4> {
  %zero = stablehlo.constant dense<0> : tensor<i4>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8xi4>, tensor<i4>) -> tensor<i4>
  return %0 : tensor<i4>
}

// -----

// Products of bytes are exact. The left operand's zero point is subtracted from the sums, whose scales
// and that of the result are one factor.
// CHECK-LABEL: func.func @quantized_product
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xi8>, %[[Y:.*]]: tensor<8x4xi8>) -> tensor<4x4xui8>
// CHECK: %[[SUMS:.*]] = stablehlo.dot_general %[[X]], %[[Y]], {{.*}} : (tensor<4x8xi8>, tensor<8x4xi8>) -> tensor<4x4xi32>
// CHECK: stablehlo.reduce({{.*}}across dimensions = [0] : (tensor<8x4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK: stablehlo.subtract %[[SUMS]], %{{.*}}: tensor<4x4xi32>
// CHECK: stablehlo.constant dense<[2.500000e-02, 5.000000e-02, 7.500000e-02, 1.000000e-01]> : tensor<4xf32>
// CHECK-NOT: stablehlo.divide
// CHECK: stablehlo.round_nearest_even
// CHECK: stablehlo.convert %{{.*}}: (tensor<4x4xf32>) -> tensor<4x4xui8>
func.func @quantized_product(%x: tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>,
                             %y: tensor<8x4x!quant.uniform<i8:f32:1, {0.1,0.2,0.3,0.4}>>)
    -> tensor<4x4x!quant.uniform<u8:f32, 2.0:128>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>, tensor<8x4x!quant.uniform<i8:f32:1, {0.1,0.2,0.3,0.4}>>)
      -> tensor<4x4x!quant.uniform<u8:f32, 2.0:128>>
  return %0 : tensor<4x4x!quant.uniform<u8:f32, 2.0:128>>
}

// -----

// Other zero points are subtracted before a product of bf16, which represents the differences of bytes.
// CHECK-LABEL: func.func @zero_points
// CHECK-COUNT-2: stablehlo.subtract
// CHECK: stablehlo.convolution(%{{.*}}) {{.*}} : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
func.func @zero_points(%x: tensor<4x8x!quant.uniform<u8:f32, 0.5:3>>, %y: tensor<8x4x!quant.uniform<u8:f32, 0.25:5>>)
    -> tensor<4x4x!quant.uniform<i32:f32, 0.125>> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<4x8x!quant.uniform<u8:f32, 0.5:3>>, tensor<8x4x!quant.uniform<u8:f32, 0.25:5>>) -> tensor<4x4x!quant.uniform<i32:f32, 0.125>>
  return %0 : tensor<4x4x!quant.uniform<i32:f32, 0.125>>
}

// -----

// A constant from outside of a comparator is a number in it.
// CHECK-LABEL: func.func @constant_of_a_body
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK: "stablehlo.sort"
// CHECK: stablehlo.select %{{.*}}, %[[ZERO]], %{{.*}} : tensor<i1>, tensor<f32>
func.func @constant_of_a_body(%x: tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN> {
  %zero = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<i1>
    %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f8E4M3FN>
    %3 = stablehlo.compare LT, %2, %b, FLOAT : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<8xf8E4M3FN>) -> tensor<8xf8E4M3FN>
  return %0 : tensor<8xf8E4M3FN>
}

// -----

// The same bits are a float and an integer.
// CHECK-LABEL: func.func @bits
// CHECK-SAME: (%[[X:.*]]: tensor<4xui8> {{.*}}, %[[Y:.*]]: tensor<4xui8>)
// CHECK: %[[B:.*]] = stablehlo.bitcast_convert %[[X]] : (tensor<4xui8>) -> tensor<4xui8>
// CHECK-NEXT: %[[I:.*]] = stablehlo.convert %[[B]] : (tensor<4xui8>) -> tensor<4xi32>
// CHECK: %[[F:.*]] = stablehlo.bitcast_convert %[[Y]] : (tensor<4xui8>) -> tensor<4xui8>
// CHECK: %[[S:.*]] = stablehlo.add %[[Y]], %[[Y]] : tensor<4xui8>
// CHECK: return %[[I]], %[[F]], %[[S]]
func.func @bits(%x: tensor<4xf8E4M3FN>, %y: tensor<4xui8>) -> (tensor<4xi32>, tensor<4xf8E4M3FN>, tensor<4xui8>) {
  %b = stablehlo.bitcast_convert %x : (tensor<4xf8E4M3FN>) -> tensor<4xui8>
  %i = stablehlo.convert %b : (tensor<4xui8>) -> tensor<4xi32>
  %f = stablehlo.bitcast_convert %y : (tensor<4xui8>) -> tensor<4xf8E4M3FN>
  %s = stablehlo.add %y, %y : tensor<4xui8>
  return %i, %f, %s : tensor<4xi32>, tensor<4xf8E4M3FN>, tensor<4xui8>
}

// -----

// Bits of a quantized number are stored with its sign.
// CHECK-LABEL: func.func @signed_bits
// CHECK-SAME: (%[[X:.*]]: tensor<4xi8> {{.*}}, %[[Y:.*]]: tensor<4xi8> {{.*}})
// CHECK: %[[L:.*]] = stablehlo.and
// CHECK: %[[B:.*]] = stablehlo.bitcast_convert %[[L]]{{.*}} : (tensor<4xui8>) -> tensor<4xi8>
// CHECK: %[[FOUR:.*]] = stablehlo.constant dense<4> : tensor<4xi8>
// CHECK: %[[UP:.*]] = stablehlo.shift_left %[[B]], %[[FOUR]]{{.*}} : tensor<4xi8>
// CHECK: %[[S:.*]] = stablehlo.shift_right_arithmetic %[[UP]], %[[FOUR]]{{.*}} : tensor<4xi8>
// CHECK: %[[M:.*]] = stablehlo.and
// CHECK: %[[U:.*]] = stablehlo.bitcast_convert %[[M]]{{.*}} : (tensor<4xui8>) -> tensor<4xui8>
// CHECK: return %[[S]], %[[U]]
func.func @signed_bits(%x: tensor<4xi4>, %y: tensor<4xi4>) -> (tensor<4x!quant.uniform<i4:f32, 0.5>>, tensor<4x!quant.uniform<u4:f32, 0.5>>) {
  %s = stablehlo.bitcast_convert %x : (tensor<4xi4>) -> tensor<4x!quant.uniform<i4:f32, 0.5>>
  %u = stablehlo.bitcast_convert %y : (tensor<4xi4>) -> tensor<4x!quant.uniform<u4:f32, 0.5>>
  return %s, %u : tensor<4x!quant.uniform<i4:f32, 0.5>>, tensor<4x!quant.uniform<u4:f32, 0.5>>
}
