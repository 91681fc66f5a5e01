// RUN: %systole-opt %s --systole-assign-layouts --split-input-file | FileCheck %s

// Three lanes of 128 used: 1,000 rows one way, 3 x 8 the other. 64 of 128 gain too little.
// Elementwise work keeps the order; what a reduction leaves has only one.
// CHECK-LABEL: @main
// CHECK-SAME: %arg0: tensor<1000x3xf32> {kernel.layout = #kernel.layout<{0,1:T(1,128)}>}
// CHECK-SAME: %arg1: tensor<1000x64xf32> {kernel.layout = #kernel.layout<{1,0:T(1,128)}>}
// CHECK-SAME: -> (tensor<1000x3xi1> {kernel.layout = #kernel.layout<{0,1:T(1,128)(4,1)}>}
// CHECK: stablehlo.add {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.compare {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)(4,1)}>]}
// CHECK: stablehlo.negate %arg1 : tensor<1000x64xf32>
// CHECK-NOT: kernel.layouts
func.func @main(%x: tensor<1000x3xf32>, %y: tensor<1000x64xf32>)
    -> (tensor<1000x3xi1>, tensor<1000x64xf32>, tensor<1000xf32>) {
  %0 = stablehlo.add %x, %x : tensor<1000x3xf32>
  %1 = stablehlo.compare LT, %0, %x, FLOAT
      : (tensor<1000x3xf32>, tensor<1000x3xf32>) -> tensor<1000x3xi1>
  %2 = stablehlo.negate %y : tensor<1000x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<1000x3xf32>, tensor<f32>) -> tensor<1000xf32>
  return %1, %2, %3 : tensor<1000x3xi1>, tensor<1000x64xf32>, tensor<1000xf32>
}

// -----

// A transposition to an order that pads less is left to its readers; one that
// pads the same is carried out where it stands.
// CHECK-LABEL: @main
// CHECK: stablehlo.transpose %arg0, {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.transpose %arg1, dims = [1, 0] : (tensor<256x128xf32>)
func.func @main(%x: tensor<3x1000xf32>, %y: tensor<256x128xf32>)
    -> (tensor<1000x3xf32>, tensor<128x256xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x1000xf32>) -> tensor<1000x3xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<256x128xf32>) -> tensor<128x256xf32>
  return %0, %1 : tensor<1000x3xf32>, tensor<128x256xf32>
}

// -----

// [1000, 3] to [10, 100, 3]: the 1,000 stay along the lanes, as two dimensions;
// the shape alone would have said {1,2,0}.
// CHECK-LABEL: @main
// CHECK: stablehlo.reshape %arg0 {kernel.layouts = [#kernel.layout<{1,0,2:T(1,128)}>]}
func.func @main(%x: tensor<1000x3xf32>) -> tensor<10x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<1000x3xf32>) -> tensor<10x100x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<10x100x3xf32>, tensor<f32>) -> tensor<10x3xf32>
  return %1 : tensor<10x3xf32>
}

// -----

// What a loop carries lies as its shape decides, inside and outside.
// CHECK-LABEL: @main
// CHECK: stablehlo.while
// CHECK-SAME: attributes {kernel.layouts = [#kernel.layout<{:T(1,128)}>, #kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.sine {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
func.func @main(%n: tensor<i32>, %x: tensor<200x7xf32>) -> tensor<200x7xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<200x7xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %b = stablehlo.sine %a : tensor<200x7xf32>
    stablehlo.return %next, %b : tensor<i32>, tensor<200x7xf32>
  }
  return %r#1 : tensor<200x7xf32>
}

// -----

// What the program states is kept, whatever it costs, and readers follow if that is cheapest.
// CHECK-LABEL: @main
// CHECK: stablehlo.negate {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.abs {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.negate %x {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]} : tensor<256x256xf32>
  %1 = stablehlo.abs %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

// A reshape that tears dimensions apart keeps the row-major order, but a last dimension of
// size 1 does not get the lanes for itself.
// CHECK-LABEL: @main
// CHECK: stablehlo.reshape %arg0 {kernel.layouts = [#kernel.layout<{1,2,0:T(1,128)}>]}
func.func @main(%x: tensor<90x200xf32>) -> tensor<150xf32> {
  %0 = stablehlo.reshape %x : (tensor<90x200xf32>) -> tensor<120x150x1xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 2]
      : (tensor<120x150x1xf32>, tensor<f32>) -> tensor<150xf32>
  return %1 : tensor<150xf32>
}

// -----

// As written: 16 blocks of weights, through each of which 128 rows pass, 16 * (132 + 128) / 2 =
// 2,080 rows' time. Exchanged: one block, but its 2,048 rows of results must be turned for
// the caller, 2 MB in all, when they have been made positive.
// CHECK-LABEL: @main
// CHECK-NOT: kernel.layouts
func.func @main(%x: tensor<128x128xf32>, %y: tensor<2048x128xf32>) -> tensor<128x2048xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1]
      : (tensor<128x128xf32>, tensor<2048x128xf32>) -> tensor<128x2048xf32>
  %1 = stablehlo.abs %0 : tensor<128x2048xf32>
  return %1 : tensor<128x2048xf32>
}

// -----

// Ten columns for 125,000 rows lie the other way, for the caller: to make them so, the rows are
// weights, though each block of them meets ten rows only.
// CHECK-LABEL: @main
// CHECK: stablehlo.dot_general {{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
func.func @main(%x: tensor<125000x128xf32>, %y: tensor<128x10xf32>) -> tensor<125000x10xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<125000x128xf32>, tensor<128x10xf32>) -> tensor<125000x10xf32>
  return %0 : tensor<125000x10xf32>
}

// -----

// A product leaves it to a written transposition how its result lies: here the columns are to lie along
// the lanes, though the rows of the product, with padding, would take a little less.
// CHECK-LABEL: @main
// CHECK: stablehlo.convolution(%arg0, %arg1) {{.*}} kernel.layouts = [#kernel.layout<{2,3,1,0:T(1,128)}>]
// CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [0, 1, 3, 2] : (tensor<8x226x224x9xf32>)
func.func @main(%x: tensor<8x224x224x64xf32>, %w: tensor<1x3x64x9xf32>) -> tensor<8x226x9x224xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x224x224x64xf32>, tensor<1x3x64x9xf32>) -> tensor<8x226x224x9xf32>
  %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2] : (tensor<8x226x224x9xf32>) -> tensor<8x226x9x224xf32>
  return %1 : tensor<8x226x9x224xf32>
}

// -----

// A barrier's results lie as its operands do.
// CHECK-LABEL: @main
// CHECK: stablehlo.optimization_barrier {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>, #kernel.layout<{1,0:T(1,128)}>]} %arg0, %arg1
// CHECK: stablehlo.negate %{{.*}} {kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
func.func @main(%x: tensor<1000x3xf32>, %y: tensor<256x128xf32>) -> (tensor<1000x3xf32>, tensor<256x128xf32>) {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<1000x3xf32>, tensor<256x128xf32>
  %1 = stablehlo.negate %0#0 : tensor<1000x3xf32>
  return %1, %0#1 : tensor<1000x3xf32>, tensor<256x128xf32>
}

// -----

// A product of few latches would lie the other way round; but it meets arrays that lie row-major.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.dot_general %arg0, %arg1
// CHECK-NOT: kernel.layouts
// CHECK: return
func.func @main(%x: tensor<8x128x768xf32>, %w: tensor<3072x768xf32>, %y: tensor<8x128x3072xf32>) -> tensor<3072xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<8x128x768xf32>, tensor<3072x768xf32>) -> tensor<8x128x3072xf32>
  %1 = stablehlo.multiply %0, %y : tensor<8x128x3072xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x3072xf32>, tensor<f32>) -> tensor<3072xf32>
  return %2 : tensor<3072xf32>
}

// -----

// The parts of one operation share a kernel, so all of them lie as the caller lays out one operand,
// also those that the broadcast alone decides.
// CHECK-LABEL: @main
// CHECK: stablehlo.not {{.*}} {kernel.expanded = 0 : i32, kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.subtract {{.*}} {kernel.expanded = 0 : i32, kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
// CHECK: stablehlo.xor {{.*}} {kernel.expanded = 0 : i32, kernel.layouts = [#kernel.layout<{0,1:T(1,128)}>]}
func.func @main(%x: tensor<256x128xui32> {mhlo.layout_mode = "{0,1}"}, %y: tensor<128xui32>)
    -> tensor<128xui32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<128xui32>) -> tensor<256x128xui32>
  %1 = stablehlo.not %0 {kernel.expanded = 0 : i32} : tensor<256x128xui32>
  %2 = stablehlo.subtract %1, %0 {kernel.expanded = 0 : i32} : tensor<256x128xui32>
  %3 = stablehlo.xor %2, %x {kernel.expanded = 0 : i32} : tensor<256x128xui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<256x128xui32>, tensor<ui32>) -> tensor<128xui32>
  return %4 : tensor<128xui32>
}
