// Movement of elements.
// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @f() {
  // expected-error @+1 {{expects dimensions}}
  %0 = tpu.iota {dimensions = array<i32>} : () -> vector<8x128xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects a dimension of 'vector<8x128xi32>', found 2}}
  %0 = tpu.iota {dimensions = array<i32: 2>} : () -> vector<8x128xi32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{names dimension 1 twice}}
  %0 = tpu.iota {dimensions = array<i32: 1, 1>} : () -> vector<8x128xi32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %n: i32) {
  // expected-error @+1 {{expects a result of type 'vector<8x128xf32>', found 'vector<8x64xf32>'}}
  %0 = tpu.dynamic_rotate %x, %n {dimension = 0 : si32} : (vector<8x128xf32>, i32) -> vector<8x64xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %n: i32) {
  // expected-error @+1 {{expects a dimension of 'vector<8x128xf32>', found 2}}
  %0 = tpu.dynamic_rotate %x, %n {dimension = 2 : si32} : (vector<8x128xf32>, i32) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %n: i32) {
  // expected-error @+1 {{expects a stride and its dimension, or neither}}
  %0 = tpu.dynamic_rotate %x, %n {dimension = 0 : si32, stride = 1 : si32} : (vector<8x128xf32>, i32) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %n: i32) {
  // expected-error @+1 {{expects a dimension of 'vector<8x128xf32>', found 5}}
  %0 = tpu.dynamic_rotate %x, %n {dimension = 0 : si32, stride = 1 : si32, stride_dimension = 5 : si32} : (vector<8x128xf32>, i32) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %n: i32) {
  // expected-error @+1 {{expects a stride along another dimension than 0}}
  %0 = tpu.dynamic_rotate %x, %n {dimension = 0 : si32, stride = 1 : si32, stride_dimension = 0 : si32} : (vector<8x128xf32>, i32) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects as many elements of one type}}
  %0 = tpu.reshape %x : (vector<8x128xf32>) -> vector<8x64xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a result of 16 positions along dimension 0, of 'vector<8x128xf32>' else, found 'vector<8x128xf32>'}}
  %0 = tpu.repeat %x {dimension = 0 : i32, times = 2 : i32} : (vector<8x128xf32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a dimension of 'vector<8x128xf32>', found 2}}
  %0 = tpu.repeat %x {dimension = 2 : i32, times = 2 : i32} : (vector<8x128xf32>) -> vector<16x128xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects sources}}
  %0 = tpu.concatenate {dimension = 0 : i32} : () -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %y: vector<128xf32>) {
  // expected-error @+1 {{expects sources of one rank}}
  %0 = tpu.concatenate %x, %y {dimension = 0 : i32} : (vector<8x128xf32>, vector<128xf32>) -> vector<9x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %y: vector<8x64xf32>) {
  // expected-error @+1 {{expects a result of 8 positions along dimension 0, of 'vector<8x128xf32>' else, found 'vector<8x64xf32>'}}
  %0 = tpu.concatenate %x, %y {dimension = 0 : i32} : (vector<8x128xf32>, vector<8x64xf32>) -> vector<16x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a result of 16 positions along dimension 0}}
  %0 = tpu.concatenate %x, %x {dimension = 0 : i32} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects dimensions of 'vector<8x128xf32>' in another order, found [0, 0] and 'vector<128x8xf32>'}}
  %0 = tpu.transpose %x {permutation = array<i64: 0, 0>} : (vector<8x128xf32>) -> vector<128x8xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects dimensions of 'vector<8x128xf32>' in another order}}
  %0 = tpu.transpose %x {permutation = array<i64: 1, 0>} : (vector<8x128xf32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects positions along dimension 0 of 'vector<8x128xf32>', found 8}}
  %0 = tpu.gather %x {dimension = 0 : i32, indices = array<i32: 8>} : (vector<8x128xf32>) -> vector<1x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects a result of 1 positions along dimension 0}}
  %0 = tpu.gather %x {dimension = 0 : i32, indices = array<i32: 0>} : (vector<8x128xf32>) -> vector<2x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %i: vector<8x128xi32>) {
  // expected-error @+1 {{expects dimensions}}
  %0 = tpu.dynamic_gather %x, %i {dimensions = array<i32>} : (vector<8x128xf32>, vector<8x128xi32>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %i: vector<8x128xi32>) {
  // expected-error @+1 {{expects a result of the indices' shape and the source's elements}}
  %0 = tpu.dynamic_gather %x, %i {dimensions = array<i32: 0>} : (vector<8x128xf32>, vector<8x128xi32>) -> vector<8x64xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>, %i: vector<8x64xi32>) {
  // expected-error @+1 {{expects the source's shape except along dimensions [0]}}
  %0 = tpu.dynamic_gather %x, %i {dimensions = array<i32: 0>} : (vector<8x128xf32>, vector<8x64xi32>) -> vector<8x64xf32>
  return
}

// -----

func.func @f(%x: vector<8x128xf32>) {
  // expected-error @+1 {{expects 8 sublanes below 16}}
  %0 = tpu.sublane_shuffle %x, %x {pattern = array<i32: 16, 0, 0, 0, 0, 0, 0, 0>} : (vector<8x128xf32>, vector<8x128xf32>) -> vector<8x128xf32>
  return
}
