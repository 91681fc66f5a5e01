// RUN: %systole-opt %s --systole-expand-operations | FileCheck %s

// Only bits that the format does not have are rounded or clamped.
// CHECK-LABEL: @rounds
// CHECK: stablehlo.shift_right_logical
// CHECK-NOT: 2139095040
// CHECK: stablehlo.and %{{.*}}, %{{.*}} : tensor<4xi32>
func.func @rounds(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = stablehlo.reduce_precision %x, format = e8m7 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @apart
// CHECK: %[[U:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xui32>
// CHECK: %[[L:.*]] = stablehlo.convert %[[U]] : (tensor<3xui32>) -> tensor<3xui16>
// CHECK: %[[S:.*]] = stablehlo.shift_right_logical %[[U]]
// CHECK: stablehlo.convert %[[S]]
// CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<3x1xui16>, tensor<3x1xui16>) -> tensor<3x2xui16>
// CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<3x2xui16>) -> tensor<3x2xbf16>
func.func @apart(%x: tensor<3xf32>) -> tensor<3x2xbf16> {
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x2xbf16>
  return %r : tensor<3x2xbf16>
}

// CHECK-LABEL: @together
// CHECK: stablehlo.slice %{{.*}} [0:3, 0:1]
// CHECK: stablehlo.slice %{{.*}} [0:3, 1:2]
// CHECK: stablehlo.shift_left
// CHECK: stablehlo.or %{{.*}}, %{{.*}} : tensor<3xui16>
func.func @together(%x: tensor<3x2xi8>) -> tensor<3xi16> {
  %r = stablehlo.bitcast_convert %x : (tensor<3x2xi8>) -> tensor<3xi16>
  return %r : tensor<3xi16>
}

// CHECK-LABEL: @same_width
// CHECK: stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
func.func @same_width(%x: tensor<3xf32>) -> tensor<3xi32> {
  %r = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// The body works on whole tensors; captured scalars are broadcast.
// CHECK-LABEL: @map
// CHECK: %[[K:.*]] = stablehlo.constant dense<3.000000e+00> : tensor<2x4xf32>
// CHECK: %[[M:.*]] = stablehlo.multiply %arg0, %[[K]] : tensor<2x4xf32>
// CHECK: %[[Y:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
// CHECK: %[[P:.*]] = stablehlo.compare LT, %[[M]], %[[Y]]
// CHECK: return %[[P]]
func.func @map(%x: tensor<2x4xf32>, %y: tensor<f32>) -> tensor<2x4xi1> {
  %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    %k = stablehlo.constant dense<3.0> : tensor<f32>
    %m = stablehlo.multiply %a, %k : tensor<f32>
    %p = stablehlo.compare LT, %m, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x4xf32>) -> tensor<2x4xi1>
  return %r : tensor<2x4xi1>
}

// CHECK-LABEL: @predicates
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<2x4xf32>) -> tensor<2x4xi1>
func.func @predicates(%x: tensor<2x3xi1>, %y: tensor<3x4xi1>) -> tensor<2x4xi1> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<2x4xi1>
  return %r : tensor<2x4xi1>
}

// Products of which one side is a vector are one product and a sum, in the order of the larger
// operand, without dimensions of one element; those of matrices stay.
// CHECK-LABEL: @vectors
// CHECK-SAME: %[[X:.*]]: tensor<5x9xbf16>, %[[Y:.*]]: tensor<9x2x5xbf16>
// CHECK: %[[XW:.*]] = stablehlo.convert %[[X]] : (tensor<5x9xbf16>) -> tensor<5x9xf32>
// CHECK: %[[XT:.*]] = stablehlo.transpose %[[XW]], dims = [1, 0]
// CHECK: %[[XB:.*]] = stablehlo.broadcast_in_dim %[[XT]], dims = [0, 2] : (tensor<9x5xf32>) -> tensor<9x2x5xf32>
// CHECK: %[[YW:.*]] = stablehlo.convert %[[Y]] : (tensor<9x2x5xbf16>) -> tensor<9x2x5xf32>
// CHECK: %[[YB:.*]] = stablehlo.broadcast_in_dim %[[YW]], dims = [0, 1, 2] : (tensor<9x2x5xf32>) -> tensor<9x2x5xf32>
// CHECK: %[[P:.*]] = stablehlo.multiply %[[XB]], %[[YB]]
// CHECK: %[[S:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK: stablehlo.convert %[[S]] : (tensor<9x2xf32>) -> tensor<9x2xbf16>
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
// CHECK: stablehlo.multiply %{{.*}} : tensor<5x7xf32>
// CHECK: stablehlo.reduce({{.*}} across dimensions = [0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<7xf32>) -> tensor<1x7xf32>
func.func @vectors(%x: tensor<5x9xbf16>, %y: tensor<9x2x5xbf16>, %z: tensor<9x3x5xbf16>, %v: tensor<5xbf16>, %u: tensor<1x5xf32>, %m: tensor<5x7xf32>)
    -> (tensor<9x2xbf16>, tensor<9x2x3xbf16>, tensor<bf16>, tensor<1x7xf32>) {
  %r = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [0] x [2] : (tensor<5x9xbf16>, tensor<9x2x5xbf16>) -> tensor<9x2xbf16>
  %s = stablehlo.dot_general %y, %z, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<9x2x5xbf16>, tensor<9x3x5xbf16>) -> tensor<9x2x3xbf16>
  %t = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<5xbf16>, tensor<5xbf16>) -> tensor<bf16>
  %w = stablehlo.dot_general %u, %m, contracting_dims = [1] x [0] : (tensor<1x5xf32>, tensor<5x7xf32>) -> tensor<1x7xf32>
  return %r, %s, %t, %w : tensor<9x2xbf16>, tensor<9x2x3xbf16>, tensor<bf16>, tensor<1x7xf32>
}

// MXUs multiply narrow matrices whose rows are not summed, except for small ones.
// CHECK-LABEL: @narrow_rows
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.reduce
// CHECK: stablehlo.reduce
func.func @narrow_rows(%x: tensor<9x256xi8>, %y: tensor<9x256x128xi8>, %z: tensor<9x256x128xi32>, %w: tensor<9x256xi32>, %v: tensor<9x256x127xi8>)
    -> (tensor<9x128xi32>, tensor<9x128xi32>, tensor<9x127xi32>) {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<9x256xi8>, tensor<9x256x128xi8>) -> tensor<9x128xi32>
  %s = stablehlo.dot_general %w, %z, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<9x256xi32>, tensor<9x256x128xi32>) -> tensor<9x128xi32>
  %t = stablehlo.dot_general %x, %v, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<9x256xi8>, tensor<9x256x127xi8>) -> tensor<9x127xi32>
  return %r, %s, %t : tensor<9x128xi32>, tensor<9x128xi32>, tensor<9x127xi32>
}

// Not if the MXUs needed a transposition first: summed between other dimensions, or two free ones.
// CHECK-LABEL: @narrow_elsewhere
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @narrow_elsewhere(%x: tensor<128xi8>, %y: tensor<9x128x256xi8>, %z: tensor<128x9x256xi8>) -> (tensor<9x256xi32>, tensor<9x256xi32>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<128xi8>, tensor<9x128x256xi8>) -> tensor<9x256xi32>
  %s = stablehlo.dot_general %x, %z, contracting_dims = [0] x [0] : (tensor<128xi8>, tensor<128x9x256xi8>) -> tensor<9x256xi32>
  return %r, %s : tensor<9x256xi32>, tensor<9x256xi32>
}

// Matrices for the MXUs become their weights: on the right, and read before transpositions.
// CHECK-LABEL: @weights
// CHECK-SAME: %[[M:.*]]: tensor<300x200xbf16>, %[[V:.*]]: tensor<300xbf16>, %[[C:.*]]: tensor<300x1xbf16>
// CHECK: %[[A:.*]] = stablehlo.dot_general %[[V]], %[[M]], contracting_dims = [0] x [0], precision = [HIGH, DEFAULT] : (tensor<300xbf16>, tensor<300x200xbf16>) -> tensor<200xbf16>
// CHECK: %[[B:.*]] = stablehlo.dot_general %[[C]], %[[M]], contracting_dims = [0] x [0] : (tensor<300x1xbf16>, tensor<300x200xbf16>) -> tensor<1x200xbf16>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[B]] : (tensor<1x200xbf16>) -> tensor<200x1xbf16>
// CHECK: return %[[A]], %[[R]]
func.func @weights(%m: tensor<300x200xbf16>, %v: tensor<300xbf16>, %c: tensor<300x1xbf16>) -> (tensor<200xbf16>, tensor<200x1xbf16>) {
  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<300x200xbf16>) -> tensor<200x300xbf16>
  %r = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (tensor<200x300xbf16>, tensor<300xbf16>) -> tensor<200xbf16>
  %s = stablehlo.dot_general %m, %c, contracting_dims = [0] x [0] : (tensor<300x200xbf16>, tensor<300x1xbf16>) -> tensor<200x1xbf16>
  return %r, %s : tensor<200xbf16>, tensor<200x1xbf16>
}

// Free dimensions are transposed back to the order of the transposed matrix.
// CHECK-LABEL: @transposed_matrix
// CHECK-SAME: %[[M:.*]]: tensor<7x3x5x2xf32>, %[[V:.*]]: tensor<2x5xf32>
// CHECK: stablehlo.broadcast_in_dim %[[M]], dims = [0, 1, 2, 3] :
// CHECK: stablehlo.reduce(%{{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK: %[[D:.*]] = stablehlo.transpose %{{.*}}, dims = [2, 0, 1] : (tensor<7x3x2xf32>) -> tensor<2x7x3xf32>
// CHECK: stablehlo.transpose %[[D]], dims = [0, 2, 1] : (tensor<2x7x3xf32>) -> tensor<2x3x7xf32>
func.func @transposed_matrix(%m: tensor<7x3x5x2xf32>, %v: tensor<2x5xf32>) -> tensor<2x3x7xf32> {
  %t = stablehlo.transpose %m, dims = [1, 0, 3, 2] : (tensor<7x3x5x2xf32>) -> tensor<3x7x2x5xf32>
  %r = stablehlo.dot_general %v, %t, batching_dims = [0] x [2], contracting_dims = [1] x [3] : (tensor<2x5xf32>, tensor<3x7x2x5xf32>) -> tensor<2x3x7xf32>
  return %r : tensor<2x3x7xf32>
}

// Summed dimensions that stand together are one, of which an element of the vector goes to each row.
// CHECK-LABEL: @sums_together
// CHECK-SAME: %[[V:.*]]: tensor<10x100xf32>, %[[M:.*]]: tensor<100x10x49xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[V]], dims = [1, 0] : (tensor<10x100xf32>) -> tensor<100x10xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[T]] : (tensor<100x10xf32>) -> tensor<1000xf32>
// CHECK: stablehlo.broadcast_in_dim %[[R]], dims = [0] : (tensor<1000xf32>) -> tensor<1000x49xf32>
// CHECK: stablehlo.reshape %[[M]] : (tensor<100x10x49xf32>) -> tensor<1000x49xf32>
// CHECK: stablehlo.reduce(%{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<1000x49xf32>, tensor<f32>) -> tensor<49xf32>
func.func @sums_together(%v: tensor<10x100xf32>, %m: tensor<100x10x49xf32>) -> tensor<49xf32> {
  %r = stablehlo.dot_general %v, %m, contracting_dims = [1, 0] x [0, 1] : (tensor<10x100xf32>, tensor<100x10x49xf32>) -> tensor<49xf32>
  return %r : tensor<49xf32>
}

// Outer products and scaled rows have no contracting dimension. The result is transposed last.
// CHECK-LABEL: @outer
// CHECK-SAME: %[[X:.*]]: tensor<3x9xi8>, %[[Y:.*]]: tensor<9xi8>, %[[U:.*]]: tensor<4x1xi8>
// CHECK: %[[W:.*]] = stablehlo.convert %[[X]] : (tensor<3x9xi8>) -> tensor<3x9xi32>
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<9xi32>) -> tensor<3x9xi32>
// CHECK: %[[P:.*]] = stablehlo.multiply
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x9xi32>) -> tensor<9x3xi32>
// CHECK: stablehlo.multiply %{{.*}} : tensor<4x9xi32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<4x9xi32>) -> tensor<9x4xi32>
// CHECK-NOT: stablehlo.dot_general
func.func @outer(%x: tensor<3x9xi8>, %y: tensor<9xi8>, %u: tensor<4x1xi8>, %v: tensor<1x9xi8>)
    -> (tensor<9x3xi32>, tensor<9x4xi32>) {
  %r = stablehlo.dot_general %x, %y, batching_dims = [1] x [0], contracting_dims = [] x [] : (tensor<3x9xi8>, tensor<9xi8>) -> tensor<9x3xi32>
  %s = stablehlo.dot_general %v, %u, contracting_dims = [0] x [1] : (tensor<1x9xi8>, tensor<4x1xi8>) -> tensor<9x4xi32>
  return %r, %s : tensor<9x3xi32>, tensor<9x4xi32>
}

// An empty sum is zero.
// CHECK-LABEL: @nothing
// CHECK: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf16>
// CHECK: return %[[Z]]
func.func @nothing(%x: tensor<4x0xf16>, %y: tensor<0x5xf16>) -> tensor<4x5xf16> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x0xf16>, tensor<0x5xf16>) -> tensor<4x5xf16>
  return %r : tensor<4x5xf16>
}

// CHECK-LABEL: @predicate_windows
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) {{.*}} : (tensor<1x5x3xbf16>, tensor<2x3x4xbf16>) -> tensor<1x4x4xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<1x4x4xf32>) -> tensor<1x4x4xi1>
func.func @predicate_windows(%x: tensor<1x5x3xi1>, %w: tensor<2x3x4xi1>) -> tensor<1x4x4xi1> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x3xi1>, tensor<2x3x4xi1>) -> tensor<1x4x4xi1>
  return %r : tensor<1x4x4xi1>
}

// A window that is longer than the operand has no positions, and its last taps begin behind the operand.
// CHECK-LABEL: @no_positions
// CHECK: %[[ZEROS:.*]] = stablehlo.constant dense<0> : tensor<1x0x1xi64>
// CHECK: return %[[ZEROS]]
func.func @no_positions(%x: tensor<1x1x1xi64>, %k: tensor<3x1x1xi64>) -> tensor<1x0x1xi64> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1xi64>, tensor<3x1x1xi64>) -> tensor<1x0x1xi64>
  return %0 : tensor<1x0x1xi64>
}
