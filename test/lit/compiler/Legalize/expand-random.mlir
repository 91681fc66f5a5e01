// RUN: %systole-opt %s --systole-expand-random --split-input-file --verify-diagnostics | FileCheck %s

// 20 rounds of additions and rotations for 8 pairs of words, which are along lanes, so each word
// computes both; the counter grows by 8.
// CHECK-LABEL: @threefry
// CHECK-NOT: ui64
// CHECK: stablehlo.iota dim = 0 : tensor<15xui32>
// CHECK: stablehlo.shift_right_logical
// CHECK: stablehlo.constant dense<466688986> : tensor<ui32>
// CHECK-COUNT-20: stablehlo.shift_left
// CHECK-NOT: stablehlo.shift_left
// CHECK: stablehlo.select {{.*}} tensor<15xui32>
// CHECK: stablehlo.constant dense<8> : tensor<ui32>
// CHECK-NOT: ui64
func.func @threefry(%key: tensor<2x2xui32>) -> (tensor<2x2xui32>, tensor<15xui32>) {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<15xui32>)
  %next = stablehlo.bitcast_convert %t : (tensor<2xui64>) -> tensor<2x2xui32>
  return %next, %bits : tensor<2x2xui32>, tensor<15xui32>
}

// -----

// Interleaved words: 8 pairs along rows.
// CHECK-LABEL: @rows
// CHECK: stablehlo.iota dim = 0 : tensor<8x1000xui32>
// CHECK-COUNT-20: stablehlo.shift_left
// CHECK: stablehlo.concatenate %{{.*}}, dim = 1 : (tensor<8x1x1000xui32>, tensor<8x1x1000xui32>) -> tensor<8x2x1000xui32>
// CHECK: stablehlo.constant dense<8000> : tensor<ui32>
func.func @rows(%key: tensor<2x2xui32>) -> (tensor<2x2xui32>, tensor<16x1000xui32>) {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16x1000xui32>)
  %next = stablehlo.bitcast_convert %t : (tensor<2xui64>) -> tensor<2x2xui32>
  return %next, %bits : tensor<2x2xui32>, tensor<16x1000xui32>
}

// -----

// 10 rounds with two products each, of which an element chooses a word; the second generator goes on
// from the words of the first.
// CHECK-LABEL: @philox
// CHECK: stablehlo.iota dim = 0 : tensor<15xui32>
// CHECK-COUNT-20: kernel.mul_high %{{.*}} : tensor<15xui32>
// CHECK-COUNT-3: stablehlo.select {{.*}} tensor<15xui32>
// CHECK: stablehlo.reshape {{.*}} -> tensor<3x5xui32>
// CHECK: stablehlo.constant dense<4> : tensor<ui32>
// CHECK: stablehlo.iota dim = 0 : tensor<2xui32>
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
// CHECK-COUNT-3: stablehlo.compare LT, %{{.*}} -> tensor<13xi1>
// CHECK-NOT: stablehlo.compare LT, %{{.*}} -> tensor<13xi1>
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

func.func @floats(%key: tensor<2x2xui32>) -> tensor<15xf32> {
  %s = stablehlo.bitcast_convert %key : (tensor<2x2xui32>) -> tensor<2xui64>
  // expected-error@+1 {{random bits of type 'tensor<15xf32>' are not supported; integers are}}
  %t, %bits = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<15xf32>)
  return %bits : tensor<15xf32>
}
