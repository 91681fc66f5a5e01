// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects elements of f32, bf16, f16, i1 or integers of 8, 16 or 32 bits, found 'f64'}}
func.func private @element(!kernel.buffer<8xf64, hbm>)

// -----

// expected-error @+1 {{expects hbm, vmem, smem or flags, found dram}}
func.func private @space(!kernel.buffer<8xf32, dram>)

// -----

// expected-error @+1 {{expects at most 1073741824 logical rows}}
func.func private @large(!kernel.buffer<1073741825x1xf32, hbm>)

// -----

// expected-error @+1 {{expects rows and base of at least 0, found -1 and 0}}
module attributes {a = #kernel.hbm_region<"x", rows = -1, base = 0>} {}

// -----

// expected-error @+1 {{expects a grid of 1 to 1073741824 points, found [0]}}
kernel.func @grid grid (%i = 0) () { kernel.return }

// -----

// expected-error @+1 {{expects operand 0 to be a buffer in hbm}}
kernel.func @space grid () (%x : !kernel.buffer<8xf32, vmem> #kernel.operand<in, block = [8], map = () -> (0)>) { kernel.return }

// -----

// expected-error @+1 {{expects a block of rank 2 for operand 0, found [8]}}
kernel.func @rank grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [8], map = () -> (0)>) { kernel.return }

// -----

// expected-error @+1 {{expects a block between 1 and 8 in dimension 0 of operand 0, found 9}}
kernel.func @extent grid () (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [9, 8], map = () -> (0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the last dimension of operand 0 cut at a multiple of 128, found 64}}
kernel.func @lanes grid () (%x : !kernel.buffer<8x256xf32, hbm> #kernel.operand<in, block = [8, 64], map = () -> (0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the map of operand 0 to go from 1 grid indices to 2 block indices}}
kernel.func @map grid (%i = 2) (%x : !kernel.buffer<8x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = () -> (0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the map of operand 0 to stay below its 2 blocks in dimension 0}}
kernel.func @beyond grid (%i = 3) (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = (d0) -> (d0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the blocks of operand 0 to be visited in consecutive grid steps}}
kernel.func @visits grid (%i = 2, %j = 2) (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<out, block = [8, 8], map = (d0, d1) -> (d1, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the grid to reach all 3 blocks of operand 0 in dimension 0, found 2}}
kernel.func @left_out grid (%i = 2) (%x : !kernel.buffer<24x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = (d0) -> (d0, 0)>) { kernel.return }

// -----

// expected-error @+1 {{expects the grid to reach all 2 blocks of operand 0 in dimension 0, found 1}}
kernel.func @not_written grid () (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<out, block = [8, 8], map = () -> (0, 0)>) { kernel.return }

// -----

// Three rows of bf16 end in the middle of a row of 512 bytes.
// expected-error @+1 {{expects blocks of operand 0 to start at whole rows of 512 bytes, which hold 2 rows of 'bf16'; block [3, 8] of '!kernel.buffer<16x8xbf16, hbm>' does not}}
kernel.func @packing grid (%i = 2) (%x : !kernel.buffer<16x8xbf16, hbm> #kernel.operand<in, block = [3, 8], map = (d0) -> (d0, 0)>) { kernel.return }

// -----

// Each of the three planes has five rows, so that the second begins in the middle of one.
// expected-error @+1 {{expects blocks of operand 0 to start at whole rows}}
kernel.func @planes grid (%i = 2) (%x : !kernel.buffer<3x5x8xi8, hbm> #kernel.operand<in, block = [3, 4, 8], map = (d0) -> (0, d0, 0)>) { kernel.return }

// -----

func.func @main() {
  // expected-error @+1 {{calls @missing, which is not a kernel}}
  kernel.call @missing()
  return
}

// -----

kernel.func @f grid () (%x : !kernel.buffer<8xf32, hbm> #kernel.operand<in, block = [8], map = () -> (0)>) { kernel.return }
func.func @main() {
  %0 = kernel.hbm 0 : !kernel.buffer<9xf32, hbm>
  // expected-error @+1 {{expects operands of the types that @f takes}}
  kernel.call @f(%0) : !kernel.buffer<9xf32, hbm>
  return
}

// -----

kernel.func @f grid () () scalars (%n) { kernel.return }
func.func @main() {
  // expected-error @+1 {{passes 0 scalars, and @f takes 1}}
  kernel.call @f()
  return
}

// -----

// expected-error @+1 {{expects 0 grid indices, 0 operands and 2 scalars as block arguments, found 0}}
"kernel.func"() <{sym_name = "f", operandTypes = [], operands = [], grid = array<i64>, scalars = 2 : i64}> ({
  "kernel.return"() : () -> ()
}) : () -> ()

// -----

func.func @main(%i: i32) {
  %0 = kernel.hbm 0 : !kernel.buffer<f32, hbm>
  // expected-error @+1 {{expects a rank-0 buffer of integers in hbm}}
  kernel.write_scalar %i to %0 : !kernel.buffer<f32, hbm>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{expects a buffer in hbm}}
  %0 = kernel.hbm 0 : !kernel.buffer<9xf32, vmem>
  return
}

// -----

func.func @main() {
  %0 = kernel.hbm 0 : !kernel.buffer<1xi32, hbm>
  // expected-error @+1 {{expects a rank-0 buffer of integers in hbm}}
  %1 = kernel.read_scalar %0 : !kernel.buffer<1xi32, hbm>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, hbm>) {
  // expected-error @+1 {{expects buffers in vmem, found '!kernel.buffer<8xf32, hbm>'}}
  kernel.map ins(%x : !kernel.buffer<8xf32, hbm>) outs(%x : !kernel.buffer<8xf32, hbm>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>, %y: !kernel.buffer<8x8xf32, vmem>) {
  // expected-error @+1 {{expects outputs of one shape}}
  kernel.map ins(%x : !kernel.buffer<8xf32, vmem>) outs(%x, %y : !kernel.buffer<8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a, %a : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<16x8xf32, vmem>) {
  // expected-error @+1 {{expects the last dimension to be a map's last result; map 0 is a transposition}}
  kernel.map ins(%x : !kernel.buffer<8x16xf32, vmem>) outs(%y : !kernel.buffer<16x8xf32, vmem>) maps = [affine_map<(d0, d1) -> (d1, d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects the results of map 0 to be distinct dimensions, with factors and offsets but for the last one, or constants}}
  kernel.map ins(%x : !kernel.buffer<8x16xf32, vmem>) outs(%y : !kernel.buffer<8x16xf32, vmem>) maps = [affine_map<(d0, d1) -> (d0, d1 + 1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<7xf32, vmem>, %y: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects map 0 to stay within dimension 0 of its input, found 8 indices of 7}}
  kernel.map ins(%x : !kernel.buffer<7xf32, vmem>) outs(%y : !kernel.buffer<8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<9xf32, vmem>, %y: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects the last dimension of input 0 to be as long as dimension 0 of the index space, found 9 and 8}}
  kernel.map ins(%x : !kernel.buffer<9xf32, vmem>) outs(%y : !kernel.buffer<8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<9x8xf32, vmem>, %y: !kernel.buffer<4x8xf32, vmem>) {
  // expected-error @+1 {{expects map 0 to stay within dimension 0 of its input, found 4 indices of 9}}
  kernel.map ins(%x : !kernel.buffer<9x8xf32, vmem>) outs(%y : !kernel.buffer<4x8xf32, vmem>) maps = [affine_map<(d0, d1) -> (d0 * 2 + 3, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects the identity as map of an input that is also an output}}
  kernel.map ins(%x : !kernel.buffer<8x16xf32, vmem>) outs(%x : !kernel.buffer<8x16xf32, vmem>) maps = [affine_map<(d0, d1) -> (0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects argument 0 of its body to be a rank-0 tensor of the buffer's elements, found 'tensor<i32>'}}
  kernel.map ins(%x : !kernel.buffer<8xf32, vmem>) outs(%x : !kernel.buffer<8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<i32>):
    kernel.yield %a : tensor<i32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>) {
  kernel.map ins(%x : !kernel.buffer<8xf32, vmem>) outs(%x : !kernel.buffer<8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{expects 1 values, found 2}}
    kernel.yield %a, %a : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xi32, vmem>) {
  kernel.map ins(%x : !kernel.buffer<8xi32, vmem>) outs(%x : !kernel.buffer<8xi32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<i32>):
    // expected-error @+1 {{expects a dimension below 1, found 1}}
    %0 = kernel.index 1 : tensor<i32>
    kernel.yield %a : tensor<i32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xi32, vmem>, %s: i32) {
  kernel.map ins(%x : !kernel.buffer<8xi32, vmem>) outs(%x : !kernel.buffer<8xi32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<i32>):
    // expected-error @+1 {{expects a rank-0 tensor of 32-bit integers as result, found 'tensor<i8>'}}
    %0 = kernel.scalar %s : tensor<i8>
    kernel.yield %a : tensor<i32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects 8 partial results, 128 of one dimension of rows, or 1024 of at least as many elements where all lie along the last dimension, found 128}}
  kernel.reduce ins(%x : !kernel.buffer<8x16xf32, vmem>) inits() outs(%y : !kernel.buffer<8xf32, vmem>)
      sizes = [8, 16] dims = [1] partials = 128 maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<2x2048xf32, vmem>, %y: !kernel.buffer<2xf32, vmem>) {
  // expected-error @+1 {{expects 8 partial results, 128 of one dimension of rows, or 1024 of at least as many elements where all lie along the last dimension, found 1024}}
  kernel.reduce ins(%x : !kernel.buffer<2x2048xf32, vmem>) inits() outs(%y : !kernel.buffer<2xf32, vmem>)
      sizes = [2, 2048] dims = [1] partials = 1024 maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<16xf32, vmem>) {
  // expected-error @+1 {{expects 8 partial results, 128 of one dimension of rows, or 1024 of at least as many elements where all lie along the last dimension, found 16}}
  kernel.reduce ins(%x : !kernel.buffer<8x16xf32, vmem>) inits() outs(%y : !kernel.buffer<16xf32, vmem>)
      sizes = [8, 16] dims = [0] partials = 16 maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x129xf32, vmem>, %y: !kernel.buffer<f32, vmem>) {
  // expected-error @+1 {{expects at most 128 elements along a last dimension that is reduced together with others, found 129}}
  kernel.reduce ins(%x : !kernel.buffer<8x129xf32, vmem>) inits() outs(%y : !kernel.buffer<f32, vmem>)
      sizes = [8, 129] dims = [0, 1] partials = 8 maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %i: !kernel.buffer<f32, vmem>, %y: !kernel.buffer<16xf32, vmem>) {
  // expected-error @+1 {{expects outputs of shape [8], found '!kernel.buffer<16xf32, vmem>'}}
  kernel.reduce ins(%x : !kernel.buffer<8x16xf32, vmem>) inits(%i : !kernel.buffer<f32, vmem>) outs(%y : !kernel.buffer<16xf32, vmem>)
      sizes = [8, 16] dims = [1] maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %i: !kernel.buffer<f32, vmem>, %y: !kernel.buffer<f32, vmem>) {
  // expected-error @+1 {{expects reduced dimensions in ascending order below 2, found [1, 0]}}
  kernel.reduce ins(%x : !kernel.buffer<8x16xf32, vmem>) inits(%i : !kernel.buffer<f32, vmem>) outs(%y : !kernel.buffer<f32, vmem>)
      sizes = [8, 16] dims = [1, 0] maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<f32, vmem>) {
  // expected-error @+1 {{expects outputs that are no other operand}}
  kernel.reduce ins(%x : !kernel.buffer<8x16xf32, vmem>) inits(%y : !kernel.buffer<f32, vmem>) outs(%y : !kernel.buffer<f32, vmem>)
      sizes = [8, 16] dims = [0, 1] maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xi32, smem>, %i: i32) {
  // expected-error @+1 {{expects 2 indices, found 1}}
  %0 = kernel.load_scalar %x[%i] : !kernel.buffer<8x16xi32, smem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>, %y: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{reaches outside dimension 0 of its destination: indices 1 to 8 of 8}}
  kernel.copy %x to %y sizes = [8] from affine_map<(d0) -> (d0)> into affine_map<(d0) -> (d0 + 1)>
      : !kernel.buffer<8xf32, vmem>, !kernel.buffer<8xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>, %y: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects constant coefficients in the source map}}
  kernel.copy %x to %y sizes = [8] from affine_map<(d0) -> (d0 mod 8)> into affine_map<(d0) -> (d0)>
      : !kernel.buffer<8xf32, vmem>, !kernel.buffer<8xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8xf32, vmem>) {
  // expected-error @+1 {{expects different buffers as source and destination}}
  kernel.copy %x to %x sizes = [8] from affine_map<(d0) -> (d0)> into affine_map<(d0) -> (d0)>
      : !kernel.buffer<8xf32, vmem>, !kernel.buffer<8xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x16xf32, vmem>, %y: !kernel.buffer<8x16xf32, vmem>, %z: !kernel.buffer<8x16xf32, vmem>) {
  // expected-error @+1 {{expects M x K times K x N to give M x N}}
  kernel.dot %x, %y into %z : !kernel.buffer<8x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>, !kernel.buffer<8x16xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xf32, vmem>, %y: !kernel.buffer<8x8xf32, vmem>, %z: !kernel.buffer<8x8xf32, vmem>) {
  // expected-error @+1 {{expects a precision of 1, 3 or 6 passes, found 2}}
  kernel.dot %x, %y into %z {precision = 2 : i32} : !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xbf16, vmem>, %y: !kernel.buffer<8x8xbf16, vmem>, %z: !kernel.buffer<8x8xbf16, vmem>) {
  // expected-error @+1 {{expects an output of 'f32', found 'bf16'}}
  kernel.dot %x, %y into %z : !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xbf16, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xbf16, vmem>, %z: !kernel.buffer<8x8xf32, vmem>, %r: !kernel.buffer<8x8xf32, vmem>) {
  // expected-error @+1 {{expects a rounded output of bf16 or f16 and the shape and rows of the sums, found}}
  kernel.dot %x, %x into %z rounded to %r : !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xbf16, vmem>, %z: !kernel.buffer<8x8xf32, vmem>, %r: !kernel.buffer<8x16xbf16, vmem>) {
  // expected-error @+1 {{expects a rounded output of bf16 or f16 and the shape and rows of the sums, found}}
  kernel.dot %x, %x into %z rounded to %r : !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x16xbf16, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xf32, vmem>, %z: !kernel.buffer<8x8xf32, vmem>, %r: !kernel.buffer<8x8xbf16, vmem>) {
  // expected-error @+1 {{expects a product of one pass beside a rounded output}}
  kernel.dot %x, %x into %z rounded to %r {precision = 3 : i32} : !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xbf16, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xf16, vmem>, %z: !kernel.buffer<8x8xf32, vmem>, %r: !kernel.buffer<8x8xbf16, vmem>) {
  // expected-error @+1 {{expects a product of one pass beside a rounded output}}
  kernel.dot %x, %x into %z rounded to %r : !kernel.buffer<8x8xf16, vmem>, !kernel.buffer<8x8xf16, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xbf16, vmem>
  return
}

// -----

func.func @f(%x: !kernel.buffer<8x8xbf16, vmem>, %z: !kernel.buffer<8x8xf32, vmem>) {
  // expected-error @+1 {{expects a rounded output that is no other operand}}
  kernel.dot %x, %x into %z rounded to %x : !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xbf16, vmem>, !kernel.buffer<8x8xf32, vmem>, !kernel.buffer<8x8xbf16, vmem>
  return
}

// -----

kernel.func @f grid () () {
  // expected-error @+1 {{expects a buffer in vmem or smem, found '!kernel.buffer<8xf32, hbm>'}}
  %0 = kernel.alloc : !kernel.buffer<8xf32, hbm>
  kernel.return
}

// -----

kernel.func @f grid () (%x : !kernel.buffer<8x4xi32, hbm> #kernel.operand<raw, block = [8, 4], map = () -> (0, 0)>) {
  %0 = kernel.alloc : !kernel.buffer<2x3xi32, smem>
  // expected-error @+1 {{to smem expects to fill it with consecutive 32-bit elements of the source}}
  kernel.copy %x to %0 sizes = [2, 3] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)>
      : !kernel.buffer<8x4xi32, hbm>, !kernel.buffer<2x3xi32, smem>
  kernel.return
}

// -----

// expected-error @+1 {{expects operand 0, a window, to be `in`}}
kernel.func @window_role grid () (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<out, block = [8, 8], map = () -> (0, 0), stride = [8, 8], offset = [0, 0]>) { kernel.return }

// -----

// expected-error @+1 {{expects 2 strides and offsets for operand 0}}
kernel.func @window_rank grid () (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = () -> (0, 0), stride = [8], offset = [0, 0]>) { kernel.return }

// -----

// expected-error @+1 {{expects the window of operand 0 to be of 1 element or more and within 1073741824 elements of the buffer in dimension 0}}
kernel.func @window_far grid (%i = 2) (%x : !kernel.buffer<16x8xf32, hbm> #kernel.operand<in, block = [8, 8], map = (d0) -> (d0, 0), stride = [1073741823, 8], offset = [9, 0]>) { kernel.return }

// -----

// expected-error @+1 {{expects the window of operand 0 to start and end at whole rows of 512 bytes}}
kernel.func @window_lanes grid (%i = 2) (%x : !kernel.buffer<16x800xf32, hbm> #kernel.operand<in, block = [16, 128], map = (d0) -> (0, d0), stride = [16, 128], offset = [0, 5]>) { kernel.return }

// -----

// expected-error @+1 {{expects the window of operand 0 to start and end at whole rows of 512 bytes}}
kernel.func @window_packed grid (%i = 2) (%x : !kernel.buffer<16x8xbf16, hbm> #kernel.operand<in, block = [8, 8], map = (d0) -> (d0, 0), stride = [8, 8], offset = [1, 0]>) { kernel.return }

// -----

func.func @reinterpret_rows(%x: tensor<3x129xbf16>) {
  // expected-error @+1 {{expects as many rows of 512 bytes, found 'tensor<3x129xbf16>' and 'tensor<9x128xbf16>'}}
  %0 = kernel.reinterpret %x : tensor<3x129xbf16> to tensor<9x128xbf16>
  return
}

// -----

func.func @reinterpret_bits(%x: tensor<3x129xbf16>) {
  // expected-error @+1 {{expects elements of equal size, found 'tensor<3x129xbf16>' and 'tensor<6x128xf32>'}}
  %0 = kernel.reinterpret %x : tensor<3x129xbf16> to tensor<6x128xf32>
  return
}

// -----

kernel.func @rows_beyond grid () () {
  %0 = kernel.alloc : !kernel.buffer<10x8xf32, vmem>
  %row = arith.constant 0 : i32
  // expected-error @+1 {{expects a part, found 12 rows of 10}}
  %1 = kernel.rows %0 at %row : !kernel.buffer<10x8xf32, vmem> to !kernel.buffer<4x300xf32, vmem>
  kernel.return
}

// -----

kernel.func @rows_type grid () () {
  %0 = kernel.alloc : !kernel.buffer<10x8xf32, vmem>
  %row = arith.constant 0 : i32
  // expected-error @+1 {{expects buffers in vmem of equal element type}}
  %1 = kernel.rows %0 at %row : !kernel.buffer<10x8xf32, vmem> to !kernel.buffer<8xi32, vmem>
  kernel.return
}

// -----

kernel.func @rows_user grid () () {
  %0 = kernel.alloc : !kernel.buffer<10x8xf32, vmem>
  %1 = kernel.alloc : !kernel.buffer<8xf32, vmem>
  %row = arith.constant 0 : i32
  // expected-error @+1 {{expects users to be kernel.map, found kernel.copy}}
  %2 = kernel.rows %0 at %row : !kernel.buffer<10x8xf32, vmem> to !kernel.buffer<8xf32, vmem>
  kernel.copy %2 to %1 sizes = [8] from affine_map<(d0) -> (d0)> into affine_map<(d0) -> (d0)> : !kernel.buffer<8xf32, vmem>, !kernel.buffer<8xf32, vmem>
  kernel.return
}

// -----

// expected-error @+1 {{kernel.transfers: expects an array of #kernel.transfer}}
module attributes {kernel.transfers = [2 : i64]} {
}

// -----

// expected-error @+1 {{kernel.transfers: expects all arrays of a channel in order, found}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2 array 1, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

// expected-error @+1 {{kernel.transfers: expects all arrays of a channel in order, found}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>,
                                        #kernel.transfer<recv, channel = 2, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>,
                                        #kernel.transfer<send, channel = 2 array 2, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

// expected-error @+1 {{kernel.transfers: expects all arrays of a channel in order, found}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2 words <0 of i64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>,
                                        #kernel.transfer<send, channel = 2 words <1 of ui64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

// expected-error @+1 {{kernel.transfers: expects all arrays of a channel in order, found}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2 words <0 of i64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>,
                                        #kernel.transfer<send, channel = 2 words <1 of i64>, type = tensor<5xui32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

// expected-error @+1 {{kernel.transfers: expects another plane after}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2 words <0 of i64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

func.func @words_of_f32(%x: tensor<4xui32>) {
  // expected-error @+1 {{expects integers of 64 bits, f64, complex numbers of f32 or f64, integers of 2 or 4 bits or floats of at most 8, found 'f32'}}
  kernel.send %x to 2 words <0 of f32> : tensor<4xui32>
  return
}

// -----

func.func @no_such_plane(%x: tensor<4xui32>) {
  // expected-error @+1 {{expects a plane below 4, found 4}}
  kernel.send %x to 2 words <4 of complex<f64>> : tensor<4xui32>
  return
}

// -----

// expected-error @+1 {{expects planes of 'ui32', found 'tensor<4xi32>'}}
module attributes {kernel.transfers = [#kernel.transfer<send, channel = 2 words <0 of i64>, type = tensor<4xi32>, layout = #kernel.layout<{0:T(1,128)}>>]} {
}

// -----

// expected-error @+1 {{expects a replicated buffer in vmem}}
func.func private @replicated(!kernel.buffer<8xf32, hbm, replicated>)

// -----

kernel.func @copied grid () () {
  %x = kernel.alloc : !kernel.buffer<8xf32, vmem, replicated>
  %y = kernel.alloc : !kernel.buffer<8xf32, vmem>
  // expected-error @+1 {{expects no replicated buffer, found '!kernel.buffer<8xf32, vmem, replicated>'}}
  kernel.copy %x to %y sizes = [8] from affine_map<(d0) -> (d0)> into affine_map<(d0) -> (d0)> : !kernel.buffer<8xf32, vmem, replicated>, !kernel.buffer<8xf32, vmem>
  kernel.return
}

// -----

kernel.func @outputs grid () () {
  %x = kernel.alloc : !kernel.buffer<8xf32, vmem, replicated>
  %y = kernel.alloc : !kernel.buffer<8xf32, vmem>
  // expected-error @+1 {{expects outputs of one shape, all of them replicated or none}}
  kernel.map ins() outs(%x, %y : !kernel.buffer<8xf32, vmem, replicated>, !kernel.buffer<8xf32, vmem>) maps = [] {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    kernel.yield %0, %0 : tensor<f32>, tensor<f32>
  }
  kernel.return
}

// -----

kernel.func @along_lanes grid () () {
  %x = kernel.alloc : !kernel.buffer<8xf32, vmem, replicated>
  %y = kernel.alloc : !kernel.buffer<8xf32, vmem>
  // expected-error @+1 {{expects the last dimension to be a map's last result; map 0 is a transposition}}
  kernel.map ins(%x : !kernel.buffer<8xf32, vmem, replicated>) outs(%y : !kernel.buffer<8xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  kernel.return
}

// -----

kernel.func @rows grid () () {
  %x = kernel.alloc : !kernel.buffer<24x100xf32, vmem>
  %y = kernel.alloc : !kernel.buffer<100xf32, vmem, replicated>
  // expected-error @+1 {{expects replicated outputs only where lanes are reduced}}
  kernel.reduce ins(%x : !kernel.buffer<24x100xf32, vmem>) inits() outs(%y : !kernel.buffer<100xf32, vmem, replicated>) sizes = [24, 100] dims = [0] maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  } combine {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// -----

kernel.func @view grid () () {
  %x = kernel.alloc : !kernel.buffer<8xf32, vmem, replicated>
  // expected-error @+1 {{expects both buffers or none to be replicated}}
  %y = kernel.view %x : !kernel.buffer<8xf32, vmem, replicated> to !kernel.buffer<8x1xf32, vmem>
  kernel.return
}

// -----

func.func @elementwise_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expects operands and results of one shape}}
  %0 = kernel.elementwise(%x, %y) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  return
}

// -----

func.func @elementwise_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects one block argument per operand, of rank 0}}
  %0 = kernel.elementwise(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    kernel.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @elementwise_values(%x: tensor<8xf32>) {
  %0 = kernel.elementwise(%x) : (tensor<8xf32>) -> tensor<8xi32> {
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{expects one value per result, of rank 0}}
    kernel.yield %a : tensor<f32>
  }
  return
}
