// RUN: %systole-opt %s --systole-assign-access --systole-fuse --split-input-file | FileCheck %s

// A contraction with its epilogue, softmax included, is one kernel; what nobody
// outside reads stays inside.
// CHECK-LABEL: @classifier
// CHECK: %[[R:.*]] = kernel.fusion "dot" (%[[X:.*]] = %arg0, %[[W:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK-SAME: -> tensor<7x10xf32>
// CHECK: stablehlo.dot_general %[[X]], %[[W]]
// CHECK: stablehlo.broadcast_in_dim %[[B]]
// CHECK: stablehlo.reduce
// CHECK: stablehlo.exponential
// CHECK: kernel.fused
// CHECK: return %[[R]]
func.func @classifier(%x: tensor<7x129xf32>, %w: tensor<129x10xf32>, %b: tensor<10xf32>)
    -> tensor<7x10xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<7x129xf32>, tensor<129x10xf32>) -> tensor<7x10xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<10xf32>) -> tensor<7x10xf32>
  %2 = stablehlo.add %0, %1 : tensor<7x10xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [1]
      : (tensor<7x10xf32>, tensor<f32>) -> tensor<7xf32>
  %3 = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<7xf32>) -> tensor<7x10xf32>
  %4 = stablehlo.subtract %2, %3 : tensor<7x10xf32>
  %5 = stablehlo.exponential %4 : tensor<7x10xf32>
  return %5 : tensor<7x10xf32>
}

// -----

// One contraction per kernel.
// CHECK-LABEL: @two_layers
// CHECK: %[[H:.*]] = kernel.fusion "dot"
// CHECK: stablehlo.tanh
// CHECK: kernel.fusion "dot" (%{{.*}} = %[[H]],
func.func @two_layers(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x4xf32>)
    -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// The sequencer computes a position that a kernel starts at.
// CHECK-LABEL: @position
// CHECK: %[[I:.*]] = stablehlo.add %arg1
// CHECK: kernel.fusion "copy" (%[[X:.*]] = %arg0, %[[P:.*]] = %[[I]])
// CHECK: stablehlo.dynamic_slice %[[X]], %[[P]]
func.func @position(%x: tensor<8xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %i, %one : tensor<i32>
  %1 = stablehlo.dynamic_slice %x, %0, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Loops keep their place between kernels; their bodies are fused by themselves, and
// the sequencer counts.
// CHECK-LABEL: @loop
// CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: %[[Y:.*]] = kernel.fusion "loop" ({{.*}} = %arg0)
// CHECK: stablehlo.while(%[[I:.*]] = %[[ZERO]], %[[A:.*]] = %[[Y]])
// CHECK-NOT: kernel.fusion
// CHECK: stablehlo.compare LT, %[[I]],
// CHECK: do
// CHECK: stablehlo.add %[[I]]
// CHECK: kernel.fusion "loop"
// CHECK: stablehlo.sine
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<10> : tensor<i32>
  %y = stablehlo.negate %x : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %zero, %a = %y) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.sine %a : tensor<4xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// Too large for VMEM, but both can be cut along the same dimension.
// CHECK-LABEL: @too_large
// CHECK: kernel.fusion "loop"
// CHECK: stablehlo.tanh
// CHECK-NEXT: stablehlo.transpose
func.func @too_large(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.tanh %x : tensor<4096x4096xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}

// -----

// Rows of one tensor may be lanes of another: 1,024 at a time.
// CHECK-LABEL: @rows_to_lanes
// CHECK: kernel.fusion "loop"
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: kernel.fused
func.func @rows_to_lanes(%x: tensor<16384x256xf32>) -> tensor<256x16384xf32> {
  %0 = stablehlo.tanh %x : tensor<16384x256xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<16384x256xf32>) -> tensor<256x16384xf32>
  return %1 : tensor<256x16384xf32>
}

// -----

// A sum that is done in chunks is known after the last one: what reads it is a kernel
// of its own, what makes its operand is not.
// CHECK-LABEL: @in_chunks
// CHECK: kernel.fusion "reduce"
// CHECK: stablehlo.tanh
// CHECK: stablehlo.reduce
// CHECK: kernel.fusion "loop"
// CHECK: stablehlo.negate
func.func @in_chunks(%x: tensor<4000000xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<4000000xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<4000000xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.negate %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A relayout that gives three features 128 lanes is work of the convolution that reads it, where it is
// done block by block, and so is what makes it from slices that overlap. An image of its result has 6.3 MiB.
// CHECK-LABEL: @relayout
// CHECK: kernel.fusion "convolution"
// CHECK: stablehlo.pad
// CHECK-COUNT-3: stablehlo.slice
// CHECK: stablehlo.concatenate
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: stablehlo.convolution
// CHECK-NOT: kernel.fusion
func.func @relayout(%x: tensor<8x160x3x160xf32>, %w: tensor<1x3x9x32xf32>) -> tensor<8x80x80x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %zero, low = [0, 0, 0, 0], high = [0, 1, 0, 1], interior = [0, 0, 0, 0] : (tensor<8x160x3x160xf32>, tensor<f32>) -> tensor<8x161x3x161xf32>
  %a = stablehlo.slice %p [0:8, 0:159:2, 0:3, 0:161] : (tensor<8x161x3x161xf32>) -> tensor<8x80x3x161xf32>
  %b = stablehlo.slice %p [0:8, 1:160:2, 0:3, 0:161] : (tensor<8x161x3x161xf32>) -> tensor<8x80x3x161xf32>
  %c = stablehlo.slice %p [0:8, 2:161:2, 0:3, 0:161] : (tensor<8x161x3x161xf32>) -> tensor<8x80x3x161xf32>
  %i = stablehlo.concatenate %a, %b, %c, dim = 2 : (tensor<8x80x3x161xf32>, tensor<8x80x3x161xf32>, tensor<8x80x3x161xf32>) -> tensor<8x80x9x161xf32>
  %t = stablehlo.transpose %i, dims = [0, 1, 3, 2] : (tensor<8x80x9x161xf32>) -> tensor<8x80x161x9xf32>
  %0 = stablehlo.convolution(%t, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x80x161x9xf32>, tensor<1x3x9x32xf32>) -> tensor<8x80x80x32xf32>
  return %0 : tensor<8x80x80x32xf32>
}

// -----

// Slices of several arrays wait for what adds them up, which says how they are cut together: none of
// them alone would fit.
// CHECK-LABEL: @addends
// CHECK-COUNT-1: kernel.fusion
// CHECK: stablehlo.slice
// CHECK: stablehlo.slice
// CHECK: stablehlo.add
// CHECK: stablehlo.slice
// CHECK: stablehlo.add
// CHECK-NOT: kernel.fusion
func.func @addends(%a: tensor<8x226x3x256xf32>, %b: tensor<8x226x3x256xf32>, %c: tensor<8x226x3x256xf32>) -> tensor<8x224x3x256xf32> {
  %0 = stablehlo.slice %a [0:8, 0:224, 0:3, 0:256] : (tensor<8x226x3x256xf32>) -> tensor<8x224x3x256xf32>
  %1 = stablehlo.slice %b [0:8, 1:225, 0:3, 0:256] : (tensor<8x226x3x256xf32>) -> tensor<8x224x3x256xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x224x3x256xf32>
  %3 = stablehlo.slice %c [0:8, 2:226, 0:3, 0:256] : (tensor<8x226x3x256xf32>) -> tensor<8x224x3x256xf32>
  %4 = stablehlo.add %2, %3 : tensor<8x224x3x256xf32>
  return %4 : tensor<8x224x3x256xf32>
}

// -----

// The sum lies under another shape, so that the batch cannot be cut: rows can, of all products at once.
// CHECK-LABEL: @product_and_reshaped_addend
// CHECK: kernel.fusion "dot"
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.add
// CHECK-NEXT: kernel.fused
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @product_and_reshaped_addend(%a: tensor<6x2048x1024xf32>, %b: tensor<6x1024x128xf32>, %c: tensor<2x3x2048x128xf32>) -> tensor<2x3x2048x128xf32> {
  %x = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x2048x1024xf32>, tensor<6x1024x128xf32>) -> tensor<6x2048x128xf32>
  %r = stablehlo.reshape %x : (tensor<6x2048x128xf32>) -> tensor<2x3x2048x128xf32>
  %y = stablehlo.add %r, %c : tensor<2x3x2048x128xf32>
  return %y : tensor<2x3x2048x128xf32>
}

// -----

// What comes before a product joins it, too, if that saves more than to compute it for each block of
// columns takes.
// CHECK-LABEL: @product_and_producer
// CHECK: kernel.fusion "dot"
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: kernel.fused
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @product_and_producer(%a: tensor<8x640x640xbf16>, %b: tensor<8x2560x640xbf16>) -> tensor<8x640x2560xbf16> {
  %p = stablehlo.negate %a : tensor<8x640x640xbf16>
  %x = stablehlo.dot_general %p, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x640x640xbf16>, tensor<8x2560x640xbf16>) -> tensor<8x640x2560xbf16>
  return %x : tensor<8x640x2560xbf16>
}

// -----

// If it does not, it has a kernel of its own: 16,384 columns come in many blocks.
// CHECK-LABEL: @product_that_its_producer_slows
// CHECK: kernel.fusion "loop"
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.sine
// CHECK-NEXT: kernel.fused
// CHECK: kernel.fusion "dot"
// CHECK-NEXT: stablehlo.dot_general
func.func @product_that_its_producer_slows(%x: tensor<1024x512xf32>, %w: tensor<512x16384xf32>) -> tensor<1024x16384xf32> {
  %0 = stablehlo.tanh %x : tensor<1024x512xf32>
  %1 = stablehlo.sine %0 : tensor<1024x512xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x16384xf32>) -> tensor<1024x16384xf32>
  return %2 : tensor<1024x16384xf32>
}

// -----

// An operation behind a barrier runs behind everything that the barrier waits for, also if it only
// reads an argument; the barrier is no kernel.
// CHECK-LABEL: @barrier
// CHECK: %[[Y:.*]] = kernel.fusion "loop" (%[[A:.*]] = %arg0)
// CHECK: stablehlo.tanh %[[A]]
// CHECK: %[[B:.*]]:2 = stablehlo.optimization_barrier %arg0, %[[Y]]
// CHECK: kernel.fusion "loop" (%[[C:.*]] = %[[B]]#0)
// CHECK: stablehlo.tanh %[[C]]
// CHECK-NOT: kernel.fusion
func.func @barrier(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0 = stablehlo.tanh %x : tensor<1024x1024xf32>
  %1:2 = stablehlo.optimization_barrier %x, %0 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  %2 = stablehlo.tanh %1#0 : tensor<1024x1024xf32>
  return %1#1, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// -----

// A scalar that needs nothing of the kernels in front of it runs before them, so that the first of
// them can read it: in the kernel of the second product it would come too late.
// CHECK-LABEL: @scalar_behind_products
// CHECK: %[[S:.*]] = kernel.fusion "loop" (%{{.*}} = %arg1)
// CHECK: stablehlo.power
// CHECK: kernel.fusion "dot" ({{.*}} = %[[S]]
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.divide
// CHECK: kernel.fusion "dot"
func.func @scalar_behind_products(%x: tensor<1024x1024xbf16>, %n: tensor<f32>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1]
      : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %1 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0]
      : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %2 = stablehlo.power %half, %n : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1024x1024xf32>
  %4 = stablehlo.divide %0, %3 : tensor<1024x1024xf32>
  return %1, %4 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
