// RUN: %systole-opt %s --systole-canonicalize-dots --split-input-file | FileCheck %s

// Already [M, K] x [K, N].
// CHECK-LABEL: @plain
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
// CHECK-NEXT: return
func.func @plain(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// The right operand's contraction lies along its lanes: kept, latched transposed.
// CHECK-LABEL: @rhs_transposed
// CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1]
// CHECK-NEXT: return
func.func @rhs_transposed(%x: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1]
      : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A gradient: the contraction is the left operand's rows.
// CHECK-LABEL: @lhs_transposed
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK-NEXT: stablehlo.dot_general %[[T]], %arg1, contracting_dims = [1] x [0]
func.func @lhs_transposed(%x: tensor<64x8xf32>, %y: tensor<64x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
      : (tensor<64x8xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Attention scores: batch and heads are each a batch dimension, along which kernels cut.
// CHECK-LABEL: @attention
// CHECK: %[[Q:.*]] = stablehlo.transpose %arg0, dims = [0, 2, 1, 3]
// CHECK: %[[K:.*]] = stablehlo.transpose %arg1, dims = [0, 2, 1, 3]
// CHECK: %[[D:.*]] = stablehlo.dot_general %[[Q]], %[[K]], batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3]
// CHECK: return %[[D]] : tensor<2x4x7x9xf32>
func.func @attention(%q: tensor<2x7x4x16xf32>, %k: tensor<2x9x4x16xf32>) -> tensor<2x4x7x9xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]
      : (tensor<2x7x4x16xf32>, tensor<2x9x4x16xf32>) -> tensor<2x4x7x9xf32>
  return %0 : tensor<2x4x7x9xf32>
}

// -----

// More than two batch dimensions become one.
// CHECK-LABEL: @three_batch_dimensions
// CHECK: %[[L:.*]] = stablehlo.reshape %arg0 : (tensor<2x1x3x4x5xf32>) -> tensor<6x4x5xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %arg1 : (tensor<2x1x3x5x6xf32>) -> tensor<6x5x6xf32>
// CHECK: %[[D:.*]] = stablehlo.dot_general %[[L]], %[[R]], batching_dims = [0] x [0], contracting_dims = [2] x [1]
// CHECK: stablehlo.reshape %[[D]] : (tensor<6x4x6xf32>) -> tensor<2x1x3x4x6xf32>
func.func @three_batch_dimensions(%x: tensor<2x1x3x4x5xf32>, %y: tensor<2x1x3x5x6xf32>) -> tensor<2x1x3x4x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1, 2] x [0, 1, 2], contracting_dims = [4] x [3]
      : (tensor<2x1x3x4x5xf32>, tensor<2x1x3x5x6xf32>) -> tensor<2x1x3x4x6xf32>
  return %0 : tensor<2x1x3x4x6xf32>
}

// -----

// Nothing is contracted: an outer product has depth 1.
// CHECK-LABEL: @outer
// CHECK: %[[L:.*]] = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %arg1 : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK: stablehlo.dot_general %[[L]], %[[R]], contracting_dims = [1] x [0]
func.func @outer(%x: tensor<3xf32>, %y: tensor<5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x []
      : (tensor<3xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// A vector is along the lanes instead of one element per row.
// CHECK-LABEL: @vector
// CHECK: %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<20x30xf32>) -> tensor<1x600xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %arg1, dims = [1, 0]
// CHECK: %[[Y:.*]] = stablehlo.reshape %[[T]] : (tensor<20x30xf32>) -> tensor<1x600xf32>
// CHECK: stablehlo.dot_general %[[X]], %[[Y]], contracting_dims = [1] x [1]
func.func @vector(%x: tensor<20x30xf32>, %y: tensor<30x20xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [1, 0]
      : (tensor<20x30xf32>, tensor<30x20xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Deep enough to be summed in chunks: the rounding waits for the last one.
// CHECK-LABEL: @narrow
// CHECK-NEXT: %[[SUM:.*]] = stablehlo.dot_general {{.*}} -> tensor<8x4xf32>
// CHECK-NEXT: %[[R:.*]] = stablehlo.convert %[[SUM]] : (tensor<8x4xf32>) -> tensor<8x4xbf16>
// CHECK-NEXT: return %[[R]]
func.func @narrow(%x: tensor<8x2049xbf16>, %y: tensor<2049x4xbf16>) -> tensor<8x4xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<8x2049xbf16>, tensor<2049x4xbf16>) -> tensor<8x4xbf16>
  return %0 : tensor<8x4xbf16>
}
