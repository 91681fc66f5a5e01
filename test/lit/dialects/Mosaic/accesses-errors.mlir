// Vectors from and to memrefs, and views of these.
// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects 2 indices of 'memref<8x128xf32>', found 1}}
  %0 = tpu.vector_load %m, %i {operandSegmentSizes = array<i32: 1, 1, 0>, strides = array<i32>} : (memref<8x128xf32>, index) -> vector<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects a vector of 'f32', which the memref has, found 'vector<8x128xi32>'}}
  %0 = tpu.vector_load %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>, strides = array<i32>} : (memref<8x128xf32>, index, index) -> vector<8x128xi32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects 2 strides of 'memref<8x128xf32>', found 1}}
  %0 = tpu.vector_load %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>, strides = array<i32: 1>} : (memref<8x128xf32>, index, index) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects a vector of at most 2 dimensions, found 'vector<1x8x128xf32>'}}
  %0 = tpu.vector_load %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>, strides = array<i32>} : (memref<8x128xf32>, index, index) -> vector<1x8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %k: vector<4x128xi1>) {
  // expected-error @+1 {{expects a mask of i1 that can be broadcast to 'vector<8x128xf32>', found 'vector<4x128xi1>'}}
  %0 = tpu.vector_load %m, %i, %i, %k {operandSegmentSizes = array<i32: 1, 2, 1>, strides = array<i32>} : (memref<8x128xf32>, index, index, vector<4x128xi1>) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %x: vector<8x128xf32>, %k: vector<8x128xi32>) {
  // expected-error @+1 {{expects a mask of i1}}
  tpu.vector_store %x, %m, %i, %i, %k {operandSegmentSizes = array<i32: 1, 1, 2, 1>, strides = array<i32>} : (vector<8x128xf32>, memref<8x128xf32>, index, index, vector<8x128xi32>) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects strides of at least 0}}
  %0 = tpu.strided_load %m, %i, %i {strides = array<i32: -1, 1>} : (memref<8x128xf32>, index, index) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %x: vector<8x128xf32>) {
  // expected-error @+1 {{expects strides of at least 1}}
  tpu.strided_store %x, %m, %i, %i {strides = array<i32: 0, 1>} : (vector<8x128xf32>, memref<8x128xf32>, index, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %x: vector<128xf32>) {
  // expected-error @+1 {{expects a vector of 2 dimensions, found 'vector<128xf32>'}}
  tpu.strided_store %x, %m, %i, %i {strides = array<i32: 2, 1>} : (vector<128xf32>, memref<8x128xf32>, index, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects 2 indices}}
  %0 = tpu.load %m, %i {sublane_mask = array<i1: true>} : (memref<8x128xf32>, index) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %x: vector<8x128xi32>) {
  // expected-error @+1 {{expects a vector of 'f32'}}
  tpu.store %x, %m, %i, %i {operandSegmentSizes = array<i32: 1, 1, 2, 0>, sublane_mask = array<i1: true>} : (vector<8x128xi32>, memref<8x128xf32>, index, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index) {
  // expected-error @+1 {{expects an offset for each of 1 sublanes, found 2}}
  %0 = tpu.shuffled_load %m, %i, %i {sublane_mask = array<i1: true>, sublane_offsets = array<i32: 0, 1>} : (memref<8x128xf32>, index, index) -> vector<8x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: index, %x: vector<8x128xf32>) {
  // expected-error @+1 {{expects 2 indices}}
  tpu.shuffled_store %x, %m, %i {sublane_mask = array<i1: true>, sublane_offsets = array<i32: 0>} : (vector<8x128xf32>, memref<8x128xf32>, index) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: i32) {
  // expected-error @+1 {{expects a part of as many dimensions}}
  %0 = tpu.memref_slice %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<8x128xf32>, i32, i32) -> memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: i32) {
  // expected-error @+1 {{expects 2 indices of 'memref<8x128xf32>', found 1}}
  %0 = tpu.memref_slice %m, %i {operandSegmentSizes = array<i32: 1, 1, 0>} : (memref<8x128xf32>, i32) -> memref<4x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: i32) {
  // expected-error @+1 {{expects 1 sizes of 'memref<?x128xf32>', found 0}}
  %0 = tpu.memref_slice %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<8x128xf32>, i32, i32) -> memref<?x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: i32) {
  // expected-error @+1 {{expects a part of 'memref<8x128xf32>', found 'memref<16x128xf32>'}}
  %0 = tpu.memref_slice %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<8x128xf32>, i32, i32) -> memref<16x128xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>, %i: i32) {
  // expected-error @+1 {{expects one element type}}
  %0 = tpu.memref_slice %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<8x128xf32>, i32, i32) -> memref<8x128xi32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32, #tpu.memory_space<vmem>>, %i: i32) {
  // expected-error @+1 {{expects one memory space}}
  %0 = tpu.memref_slice %m, %i, %i {operandSegmentSizes = array<i32: 1, 2, 0>} : (memref<8x128xf32, #tpu.memory_space<vmem>>, i32, i32) -> memref<8x128xf32, #tpu.memory_space<hbm>>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects to drop dimensions of size 1}}
  %0 = tpu.memref_squeeze %m : (memref<8x128xf32>) -> memref<128xf32>
  return
}

// -----

func.func @f(%m: memref<1x128xf32>) {
  // expected-error @+1 {{expects to drop dimensions of size 1}}
  %0 = tpu.memref_squeeze %m : (memref<1x128xf32>) -> memref<1x128x2xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects static shapes of as many elements}}
  %0 = tpu.memref_reshape %m : (memref<8x128xf32>) -> memref<8x64xf32>
  return
}

// -----

func.func @f(%m: memref<?x128xf32>) {
  // expected-error @+1 {{expects static shapes of as many elements}}
  %0 = tpu.memref_reshape %m : (memref<?x128xf32>) -> memref<?x64xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects as many bits in both types}}
  %0 = tpu.memref_bitcast %m : (memref<8x128xf32>) -> memref<8x128xi8>
  return
}

// -----

func.func @f(%m: memref<128xf32>) {
  // expected-error @+1 {{expects memrefs of one rank, at least 2 if the widths differ}}
  %0 = tpu.memref_bitcast %m : (memref<128xf32>) -> memref<256xbf16>
  return
}

// -----

func.func @f(%m: memref<!tpu.semaphore>) {
  // expected-error @+1 {{expects memrefs of integers or floats}}
  %0 = tpu.memref_bitcast %m : (memref<!tpu.semaphore>) -> memref<i32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects 1 sizes of 'memref<?xf32>', found 0}}
  %0 = tpu.reinterpret_cast %m {operandSegmentSizes = array<i32: 1, 0, 0>} : (memref<8x128xf32>) -> memref<?xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects one shape}}
  %0 = tpu.erase_memref_layout %m : (memref<8x128xf32>) -> memref<8x64xf32>
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects a result without a layout}}
  %0 = tpu.erase_memref_layout %m : (memref<8x128xf32>) -> memref<8x128xf32, strided<[128, 1]>>
  return
}
