// DMAs, semaphores and regions.
// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: memref<8x128xf32>, %b: memref<8x128xi32>, %s: memref<!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects arrays of one element type}}
  tpu.enqueue_dma %a, %b, %s {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>} : (memref<8x128xf32>, memref<8x128xi32>, memref<!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %b: memref<4x128xf32>, %s: memref<!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects arrays of one shape}}
  tpu.enqueue_dma %a, %b, %s {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>} : (memref<8x128xf32>, memref<4x128xf32>, memref<!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<2x!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects one semaphore, found 'memref<2x!tpu.dma_semaphore>'}}
  tpu.enqueue_dma %a, %a, %s {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>} : (memref<8x128xf32>, memref<8x128xf32>, memref<2x!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>, %n: i32) {
  // expected-error @+1 {{expects a semaphore of the source for a copy to another device}}
  tpu.enqueue_dma %a, %a, %s, %n {operandSegmentSizes = array<i32: 1, 0, 1, 1, 1, 0, 0>} : (memref<8x128xf32>, memref<8x128xf32>, memref<!tpu.dma_semaphore>, i32) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects a device or core for a semaphore of the source}}
  tpu.enqueue_dma %a, %s, %a, %s {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>} : (memref<8x128xf32>, memref<!tpu.dma_semaphore>, memref<8x128xf32>, memref<!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>, %n: i32) {
  // expected-error @+1 {{expects the core of a subcore}}
  tpu.enqueue_dma %a, %a, %s, %n {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 1>} : (memref<8x128xf32>, memref<8x128xf32>, memref<!tpu.dma_semaphore>, i32) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects a priority of at least 0, found -1}}
  tpu.enqueue_dma %a, %a, %s {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, priority = -1 : i32} : (memref<8x128xf32>, memref<8x128xf32>, memref<!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>, %b: memref<128xf32>) {
  // expected-error @+1 {{expects arrays of one shape}}
  tpu.wait_dma2 %s, %a, %b {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (memref<!tpu.dma_semaphore>, memref<8x128xf32>, memref<128xf32>) -> ()
  return
}

// -----

func.func @f(%a: memref<8x128xf32>, %s: memref<!tpu.dma_semaphore>) {
  // expected-error @+1 {{expects the semaphore that is waited for}}
  tpu.wait_dma %a, %a, %s {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0, 0>, wait_target = false} : (memref<8x128xf32>, memref<8x128xf32>, memref<!tpu.dma_semaphore>) -> ()
  return
}

// -----

func.func @f(%s: memref<2x!tpu.semaphore>, %n: i32) {
  // expected-error @+1 {{expects one semaphore}}
  tpu.sem_signal %s, %n {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (memref<2x!tpu.semaphore>, i32) -> ()
  return
}

// -----

func.func @f(%s: memref<2x!tpu.semaphore>, %n: i32) {
  // expected-error @+1 {{expects one semaphore}}
  tpu.sem_wait %s, %n : (memref<2x!tpu.semaphore>, i32) -> ()
  return
}

// -----

func.func @f(%s: memref<2x!tpu.semaphore>) {
  // expected-error @+1 {{expects one semaphore}}
  %0 = tpu.sem_read %s : (memref<2x!tpu.semaphore>) -> i32
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{expects one semaphore}}
  %0 = tpu.sem_barrier : () -> memref<2x!tpu.semaphore>
  return
}

// -----

func.func @f(%n: i32) {
  // expected-error @+1 {{expects its region to yield 'f32', found 'i32'}}
  %0 = tpu.region -> (f32) { tpu.yield %n : i32 }
  return
}

// -----

func.func @f(%n: i32) {
  // expected-error @+1 {{expects its region to yield 'f32', found 'i32'}}
  %0 = tpu.trace -> (f32) attributes {level = 0 : i32, message = "m"} { tpu.yield %n : i32 }
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects numbers or vectors, found 'memref<8x128xf32>'}}
  tpu.log %m {tag = "m"} : (memref<8x128xf32>) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects 2 sizes of 'memref<8x128xf32>', found 1}}
  tpu.log_buffer %m {tag = "m", shape = array<i64: 8>} : (memref<8x128xf32>) -> ()
  return
}

// -----

func.func @f(%m: memref<8x128xf32>) {
  // expected-error @+1 {{expects sizes within 'memref<8x128xf32>', found 9}}
  tpu.log_buffer %m {tag = "m", shape = array<i64: 9, 1>} : (memref<8x128xf32>) -> ()
  return
}

// -----

func.func @f(%n: i32) {
  // expected-error @+1 {{expects a multiple of at least 1, found -8}}
  %0 = tpu.assume_multiple %n {multiple = -8 : i32} : (i32) -> i32
  return
}
