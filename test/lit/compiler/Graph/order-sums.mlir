// RUN: %systole-opt %s --systole-order-sums --split-input-file | FileCheck %s

// The tree is the dimension along the lanes, else the outermost one; the others are rows.
// CHECK-LABEL: @sums
// CHECK: dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [0, 1], tree = 2>}
// CHECK: dimensions = [0, 1] {kernel.order = #kernel.order<rows = [1], tree = 0>}
// CHECK: dimensions = [1] {kernel.order = #kernel.order<rows = [], tree = 1>}
func.func @sums(%x: tensor<20x5x130xf32>) -> (tensor<f32>, tensor<130xf32>, tensor<20x130xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<20x5x130xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<20x5x130xf32>, tensor<f32>) -> tensor<130xf32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
      : (tensor<20x5x130xf32>, tensor<f32>) -> tensor<20x130xf32>
  return %0, %1, %2 : tensor<f32>, tensor<130xf32>, tensor<20x130xf32>
}

// -----

// Few elements in the last dimension: another one lies along the lanes of arguments.
// CHECK-LABEL: @entry_layout
// CHECK: kernel.order = #kernel.order<rows = [1], tree = 0>
func.func @entry_layout(%x: tensor<1000x3xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<1000x3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A sum of many elements to one has 1024 partial sums; dimensions of one element take no part.
// CHECK-LABEL: @one_result
// CHECK: kernel.order = #kernel.order<rows = [], tree = 1, partials = 1024>
// CHECK: kernel.order = #kernel.order<rows = [], tree = 0>
func.func @one_result(%x: tensor<1x1024xf32>, %y: tensor<1023xf32>) -> (tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<1x1024xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<1023xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// 128 results take 128 * 7 * 7 rows of 512 bytes, more than 2 MiB: 16 images are less than 512 KiB
// and whole vectors of eight rows, and divide 128.
// CHECK-LABEL: @chunks
// CHECK: kernel.order = #kernel.order<rows = [1, 2], tree = 0, chunked = [0], chunk = [16]>
func.func @chunks(%x: tensor<128x7x7x64xf32>) -> tensor<64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<128x7x7x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// An image of 56 * 56 rows is more than 512 KiB: images one by one, and of each 14 * 56 rows at once.
// CHECK-LABEL: @nested
// CHECK: kernel.order = #kernel.order<rows = [1, 2], tree = 0, chunked = [0, 1], chunk = [1, 14]>
func.func @nested(%x: tensor<16x56x56x128xf32>) -> tensor<128xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<16x56x56x128xf32>, tensor<f32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// -----

// Integers and extrema have no order. What the program states stays.
// CHECK-LABEL: @others
// CHECK: stablehlo.maximum {{.*}} {kernel.order = #kernel.order<rows = [0, 1], any = true>}
// CHECK: stablehlo.add {{.*}} {kernel.order = #kernel.order<rows = [0, 1], any = true>}
// CHECK: stablehlo.add {{.*}} {kernel.order = #kernel.order<rows = [0], tree = 1>}
func.func @others(%x: tensor<9x20xf32>, %y: tensor<9x20xi32>) -> (tensor<f32>, tensor<i32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0, 1]
      : (tensor<9x20xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%y init: %i) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<9x20xi32>, tensor<i32>) -> tensor<i32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1]
      {kernel.order = #kernel.order<rows = [0], tree = 1>} : (tensor<9x20xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<i32>, tensor<f32>
}

// -----

// Rows of 128 lanes hold two positions of 64 features: rows are added first, then the positions. Chunks are of such
// rows: 1,024 of them, whole vector registers. The initial value is that of the last sum.
// CHECK-LABEL: @positions
// CHECK-SAME: %[[X:.*]]: tensor<16x56x56x64xf32>
// CHECK-DAG: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00>
// CHECK-DAG: %[[NONE:.*]] = stablehlo.constant dense<-0.000000e+00>
// CHECK-DAG: %[[PAIRS:.*]] = stablehlo.reshape %[[X]] : (tensor<16x56x56x64xf32>) -> tensor<16x56x28x2x64xf32>
// CHECK: %[[ROWS:.*]] = stablehlo.reduce(%[[PAIRS]] init: %[[NONE]]) applies stablehlo.add across dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [1, 2], tree = 0, chunked = [0, 1], chunk = [1, 28]>} {{.*}} -> tensor<2x64xf32>
// CHECK: stablehlo.reduce(%[[ROWS]] init: %[[ONE]]) applies stablehlo.add across dimensions = [0] {kernel.order = #kernel.order<rows = [], tree = 0>} {{.*}} -> tensor<64xf32>
// Features are summed as before, and so are images: positions stay apart.
// CHECK: stablehlo.reduce(%[[X]] {{.*}} dimensions = [3]
// CHECK: stablehlo.reduce(%[[X]] {{.*}} dimensions = [0]
func.func @positions(%x: tensor<16x56x56x64xf32>)
    -> (tensor<64xf32>, tensor<16x56x56xf32>, tensor<56x56x64xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1, 2]
      : (tensor<16x56x56x64xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [3]
      : (tensor<16x56x56x64xf32>, tensor<f32>) -> tensor<16x56x56xf32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0]
      : (tensor<16x56x56x64xf32>, tensor<f32>) -> tensor<56x56x64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<16x56x56xf32>, tensor<56x56x64xf32>
}

// -----

// A sum of each of several arrays: 128 rows of all of them would take more than VMEM has, so chunks are smaller. Of three
// arrays they are as large as the statistics of rows want.
// CHECK-LABEL: @arrays
// CHECK: stablehlo.reduce({{.*}} dimensions = [1, 2] {kernel.order = #kernel.order<rows = [1], tree = 2, chunked = [1], chunk = [4]>}
// CHECK: stablehlo.reduce({{.*}} dimensions = [1, 2] {kernel.order = #kernel.order<rows = [1], tree = 2, chunked = [1], chunk = [128]>}
func.func @arrays(%x: tensor<16x512x3072xf32>, %y: tensor<3x512x3072xf32>) -> (tensor<16xf32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 2]
      : (tensor<16x512x3072xf32>, tensor<f32>) -> tensor<16xf32>
  %1 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1, 2]
      : (tensor<3x512x3072xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1 : tensor<16xf32>, tensor<3xf32>
}

// -----

// Neither eight rows of all arrays nor 1,024 elements of all rows would fit VMEM twice: rows are in chunks one by one.
// Of two inputs half as many elements are too many; of narrow ones four times as many are not.
// CHECK-LABEL: @long_arrays
// CHECK: dimensions = [1, 2] {kernel.order = #kernel.order<rows = [1], tree = 2, chunked = [1, 2], chunk = [1, 7168]>}
// CHECK: dimensions = [1, 2] {kernel.order = #kernel.order<rows = [1, 2], chunked = [2], chunk = [1024], any = true>}
// CHECK: across dimensions = [1, 2] {kernel.order = #kernel.order<rows = [1], tree = 2, chunked = [1, 2], chunk = [1, 2048]>}
func.func @long_arrays(%x: tensor<32x127x50257xf32>, %y: tensor<32x127x50257xi8>, %u: tensor<128x16x2432xf32>)
    -> (tensor<32xf32>, tensor<32xi8>, tensor<128xf32>, tensor<128xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<-128> : tensor<i8>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 2]
      : (tensor<32x127x50257xf32>, tensor<f32>) -> tensor<32xf32>
  %1 = stablehlo.reduce(%y init: %i) applies stablehlo.maximum across dimensions = [1, 2]
      : (tensor<32x127x50257xi8>, tensor<i8>) -> tensor<32xi8>
  %2:2 = stablehlo.reduce(%u init: %z), (%u init: %z) across dimensions = [1, 2]
      : (tensor<128x16x2432xf32>, tensor<128x16x2432xf32>, tensor<f32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
      %p = stablehlo.add %a, %b : tensor<f32>
      %q = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %p, %q : tensor<f32>, tensor<f32>
    }
  return %0, %1, %2#0, %2#1 : tensor<32xf32>, tensor<32xi8>, tensor<128xf32>, tensor<128xf32>
}
