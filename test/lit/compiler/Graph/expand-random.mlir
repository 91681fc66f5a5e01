// RUN: %systole-opt %s --systole-expand-random --split-input-file --verify-diagnostics | FileCheck %s

// 20 rounds of additions and rotations for 8 pairs of words, which are interleaved; the counter
// grows by 8.
// CHECK-LABEL: @threefry
// CHECK-NOT: ui64
// CHECK: stablehlo.iota dim = 0 : tensor<8xui32>
// CHECK: stablehlo.constant dense<466688986> : tensor<ui32>
// CHECK-COUNT-20: stablehlo.shift_left
// CHECK-NOT: stablehlo.shift_left
// CHECK: %[[BOTH:.*]] = stablehlo.concatenate %{{.*}}, dim = 1 : (tensor<8x1xui32>, tensor<8x1xui32>) -> tensor<8x2xui32>
// CHECK: stablehlo.slice %{{.*}} [0:15]
// CHECK: stablehlo.constant dense<8> : tensor<ui32>
// CHECK-NOT: ui64
func.func @threefry(%key: tensor<2x2xui32>) -> (tensor<2x2xui32>, tensor<15xui32>) {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<15xui32>)
  %next = stablehlo.bitcast_convert %t : (tensor<2xui64>) -> tensor<2x2xui32>
  return %next, %bits : tensor<2x2xui32>, tensor<15xui32>
}

// -----

// 10 rounds with two products each, of 4 words at once; the second generator goes on from the
// words of the first.
// CHECK-LABEL: @philox
// CHECK: stablehlo.iota dim = 0 : tensor<4xui32>
// CHECK-COUNT-20: stablehlo.shift_right_logical %{{.*}} : tensor<4xui32>
// CHECK: stablehlo.concatenate %{{.*}}, dim = 1 : {{.*}} -> tensor<4x4xui32>
// CHECK: stablehlo.constant dense<4> : tensor<ui32>
// CHECK: stablehlo.iota dim = 0 : tensor<1xui32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<2xui32>) -> tensor<2xi8>
func.func @philox(%key: tensor<2x2xui32>) -> (tensor<3x5xui32>, tensor<2xi8>) {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  %t, %first = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
  %u, %second = stablehlo.rng_bit_generator %t, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi8>)
  return %first, %second : tensor<3x5xui32>, tensor<2xi8>
}

// -----

// A state that is no words before, and elements of 64 bits: one block for each.
// CHECK-LABEL: @wide
// CHECK: stablehlo.bitcast_convert %arg0 : (tensor<2xui64>) -> tensor<2x2xui32>
// CHECK: stablehlo.iota dim = 0 : tensor<5xui32>
// CHECK-COUNT-20: stablehlo.shift_left %{{.*}} : tensor<5xui32>
// CHECK: stablehlo.shift_left %{{.*}} : tensor<5xui64>
// CHECK: stablehlo.or %{{.*}} : tensor<5xui64>
// CHECK: stablehlo.constant dense<5> : tensor<ui32>
func.func @wide(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>) {
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui64>)
  return %t, %bits : tensor<2xui64>, tensor<5xui64>
}

// -----

// Of three integers the counter has four words, to which a carry goes three times; that of a
// block's number as that of the state's.
// CHECK-LABEL: @counter
// CHECK: stablehlo.bitcast_convert %arg0 : (tensor<3xui64>) -> tensor<3x2xui32>
// CHECK-COUNT-3: stablehlo.compare LT, %{{.*}} : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
// CHECK-NOT: stablehlo.compare {{.*}} -> tensor<4xi1>
// CHECK-COUNT-3: stablehlo.compare LT, %{{.*}} : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
// CHECK-NOT: stablehlo.compare
// CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<3x2xui32>) -> tensor<3xui64>
func.func @counter(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<13xui32>) {
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<13xui32>)
  return %t, %bits : tensor<3xui64>, tensor<13xui32>
}

// -----

func.func @state(%s: tensor<4xui32>) -> tensor<15xui32> {
  // expected-error@+1 {{a state other than two 64-bit integers, or three of PHILOX, is not supported}}
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<4xui32>) -> (tensor<4xui32>, tensor<15xui32>)
  return %bits : tensor<15xui32>
}

// -----

func.func @three_of_threefry(%s: tensor<3xui64>) -> tensor<15xui32> {
  // expected-error@+1 {{a state other than two 64-bit integers, or three of PHILOX, is not supported}}
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<15xui32>)
  return %bits : tensor<15xui32>
}

// -----

func.func @scalar(%s: tensor<ui64>) -> tensor<15xui32> {
  // expected-error@+1 {{a state other than two 64-bit integers, or three of PHILOX, is not supported}}
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<ui64>) -> (tensor<ui64>, tensor<15xui32>)
  return %bits : tensor<15xui32>
}

// -----

func.func @floats(%key: tensor<2x2xui32>) -> tensor<15xf32> {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  // expected-error@+1 {{random bits of type 'tensor<15xf32>' are not supported; integers are}}
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<15xf32>)
  return %bits : tensor<15xf32>
}
