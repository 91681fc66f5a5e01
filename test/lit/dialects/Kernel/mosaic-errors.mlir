// RUN: %systole-opt %s -split-input-file -verify-diagnostics

func.func @aliases(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expects an alias for each of its 1 results, found 2}}
  %0 = kernel.mosaic_call @k(%x) aliases = [-1, 0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @alias(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{names operand 1 of 1 as that of result 0}}
  %0 = kernel.mosaic_call @k(%x) aliases = [1] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @type(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects result 0 to have the type of operand 0}}
  %0 = kernel.mosaic_call @k(%x) aliases = [0] : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @space(%i: i32, %b: !kernel.buffer<8xi32, vmem>) {
  // expected-error @+1 {{expects a buffer in smem, found '!kernel.buffer<8xi32, vmem>'}}
  kernel.store_scalar %i to %b[%i] : <8xi32, vmem>
  return
}

// -----

func.func @element(%b: !kernel.buffer<8xi32, vmem>) {
  // expected-error @+1 {{expects a buffer of one element in vmem, found '!kernel.buffer<8xi32, vmem>'}}
  %0 = kernel.read_element %b : <8xi32, vmem>
  return
}

// -----

func.func @log(%x: i32) {
  // expected-error @+1 {{expects a text around each of its 1 values, found 1}}
  kernel.log %x ["x"] values = [i32]
  return
}

// -----

func.func @log(%x: i32) {
  // expected-error @+1 {{expects numbers of at most 32 bits, or arrays of them, found 'tensor<?xf32>'}}
  kernel.log %x ["x", ""] values = [tensor<?xf32>]
  return
}

// -----

func.func @log(%x: i32) {
  // expected-error @+1 {{expects numbers of at most 32 bits, or arrays of them, found 'f64'}}
  kernel.log %x ["x", ""] values = [f64]
  return
}

// -----

func.func @bitcast(%b: !kernel.buffer<8x256xf32, vmem>) {
  // expected-error @+1 {{expects buffers in vmem of the same rows, of 128 lanes at most}}
  %0 = kernel.bitcast %b : <8x256xf32, vmem> to <16x256xbf16, vmem>
  return
}

// -----

func.func @box(%i: i32, %x: !kernel.buffer<8x128xf32, hbm>, %b: !kernel.buffer<8x128xf32, vmem>, %s: !kernel.buffer<2xi32, flags>) {
  // expected-error @+1 {{expects a box within '!kernel.buffer<8x128xf32, hbm>', found sizes [16, 128]}}
  kernel.start_copy %x to %b sizes = [16, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> semaphore %s[%i] : <8x128xf32, hbm>, <8x128xf32, vmem>, <2xi32, flags>
  return
}

// -----

func.func @semaphore(%i: i32, %x: !kernel.buffer<8x128xf32, hbm>, %b: !kernel.buffer<8x128xf32, vmem>, %s: !kernel.buffer<2xi32, smem>) {
  // expected-error @+1 {{expects a buffer in flags, found '!kernel.buffer<2xi32, smem>'}}
  kernel.wait_copy %x to %b sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> semaphore %s[%i] : <8x128xf32, hbm>, <8x128xf32, vmem>, <2xi32, smem>
  return
}

// -----

func.func @indices(%i: i32, %s: !kernel.buffer<2xi32, flags>) {
  // expected-error @+1 {{expects 1 indices, found 0}}
  kernel.signal %i, %s[] : <2xi32, flags>
  return
}

// -----

func.func @counted(%i: i32, %x: !kernel.buffer<128xf32, hbm>, %b: !kernel.buffer<128xf32, vmem>, %s: !kernel.buffer<i32, flags>) {
  // expected-error @+1 {{expects a dimension behind the one that it counts}}
  kernel.start_copy %x to %b sizes = [128] count %i from affine_map<(d0) -> (d0)> into affine_map<(d0) -> (d0)> semaphore %s[] : <128xf32, hbm>, <128xf32, vmem>, <i32, flags>
  return
}

// -----

func.func @slot(%i: i32) {
  %0 = kernel.alloc : <8x128xf32, vmem>
  // expected-error @+1 {{expects a kernel.alloc of several buffers}}
  %1 = kernel.slot %0[%i] : <8x128xf32, vmem>
  return
}

// -----

func.func @several() {
  // expected-error @+1 {{expects several buffers to be in vmem, found '!kernel.buffer<8xi32, smem>'}}
  %0 = kernel.alloc buffers 2 : <8xi32, smem>
  return
}

// -----

func.func @unchosen() {
  // expected-error @+1 {{expects kernel.slot to choose one of its buffers, found kernel.view}}
  %0 = kernel.alloc buffers 2 : <8x128xf32, vmem>
  %1 = kernel.view %0 : <8x128xf32, vmem> to <1x8x128xf32, vmem>
  return
}

// -----

func.func @aligned(%i: i32, %b: !kernel.buffer<32x128xf32, vmem>) {
  // expected-error @+1 {{expects whole groups of eight rows, found '!kernel.buffer<4x128xf32, vmem>'}}
  %0 = kernel.rows %b at %i aligned : <32x128xf32, vmem> to <4x128xf32, vmem>
  return
}

// -----

func.func @no_semaphore(%i: i32, %s: !kernel.buffer<0xi32, flags>) {
  // expected-error @+1 {{expects a buffer with elements, found '!kernel.buffer<0xi32, flags>'}}
  kernel.signal %i, %s[%i] : <0xi32, flags>
  return
}
