// RUN: %systole-opt %s --systole-select-gathers --split-input-file | FileCheck %s

// The label of each row: lanes are compared with it, and of the row's bits those of one lane are
// left. Positions beyond the end are clamped.
// CHECK-LABEL: @labels
// CHECK-SAME: %[[X:.*]]: tensor<64x10xf32>, %[[L:.*]]: tensor<64x1xi32>
// CHECK: %[[LABELS:.*]] = stablehlo.reshape %[[L]] : (tensor<64x1xi32>) -> tensor<64xi32>
// CHECK: %[[LOW:.*]] = stablehlo.maximum %[[LABELS]], %{{.*}}
// CHECK: %[[AT:.*]] = stablehlo.minimum %[[LOW]], %{{.*}}
// CHECK-DAG: %[[LANE:.*]] = stablehlo.iota dim = 1 : tensor<64x10xi32>
// CHECK-DAG: %[[WANTED:.*]] = stablehlo.broadcast_in_dim %[[AT]], dims = [0]
// CHECK: %[[MASK:.*]] = stablehlo.compare EQ, %[[LANE]], %[[WANTED]]
// CHECK: %[[BITS:.*]] = stablehlo.bitcast_convert %[[X]]
// CHECK: %[[LEFT:.*]] = stablehlo.select %[[MASK]], %{{.*}}, %{{.*}} : tensor<64x10xi1>, tensor<64x10xi32>
// CHECK: %[[ONE:.*]] = stablehlo.reduce(%[[LEFT]] init: %{{.*}}) applies stablehlo.or across dimensions = [1]
// CHECK: stablehlo.bitcast_convert %[[ONE]] : (tensor<64xi32>) -> tensor<64xf32>
func.func @labels(%x: tensor<64x10xf32>, %l: tensor<64x1xi32>) -> tensor<64xf32> {
  %rows = stablehlo.iota dim = 0 : tensor<64x1xi32>
  %i = stablehlo.concatenate %rows, %l, dim = 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<64x10xf32>, tensor<64x2xi32>) -> tensor<64xf32>
  return %g : tensor<64xf32>
}

// -----

// Three positions in each row, which are paired by batching dimensions.
// CHECK-LABEL: @three_of_each_row
// CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<3x8x130xi32>, tensor<3x8x130xi32>) -> tensor<3x8x130xi1>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.or across dimensions = [2] : (tensor<3x8x130xi32>, tensor<i32>) -> tensor<3x8xi32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : {{.*}} -> tensor<8x3xf32>
// CHECK-NOT: gather
func.func @three_of_each_row(%x: tensor<8x130xf32>, %i: tensor<8x3x1xi32>) -> tensor<8x3xf32> {
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<8x130xf32>, tensor<8x3x1xi32>) -> tensor<8x3xf32>
  return %g : tensor<8x3xf32>
}

// -----

// An element of each row of a slab: a loop would take one position for each row.
// CHECK-LABEL: @slabs
// CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<100x64x10xi32>, tensor<100x64x10xi32>) -> tensor<100x64x10xi1>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.or across dimensions = [2] : (tensor<100x64x10xi32>, tensor<i32>) -> tensor<100x64xi32>
// CHECK-NOT: gather
func.func @slabs(%x: tensor<100x64x10xf32>, %i: tensor<100x1xi32>) -> tensor<100x64xf32> {
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 64, 1>
  }> : (tensor<100x64x10xf32>, tensor<100x1xi32>) -> tensor<100x64xf32>
  return %g : tensor<100x64xf32>
}

// -----

// Gathers of rows by index are unchanged, and so are those of few elements of long rows.
// CHECK-LABEL: @others
// CHECK-COUNT-2: stablehlo.gather
// CHECK-NOT: compare
func.func @others(%x: tensor<100x300xf32>, %i: tensor<5x1xi32>, %y: tensor<16x30522xf32>, %j: tensor<16x1x1xi32>) -> (tensor<5x300xf32>, tensor<16x1xf32>) {
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 300>
  }> : (tensor<100x300xf32>, tensor<5x1xi32>) -> tensor<5x300xf32>
  %h = "stablehlo.gather"(%y, %j) <{
    dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>
  }> : (tensor<16x30522xf32>, tensor<16x1x1xi32>) -> tensor<16x1xf32>
  return %g, %h : tensor<5x300xf32>, tensor<16x1xf32>
}

// -----

// Of a large array with a short last dimension the parts are gathered with that, which is dropped
// afterwards; not where they are whole but for it, and not of what fits into VMEM.
// CHECK-LABEL: @columns
// CHECK: %[[G:.*]] = "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 1>
// CHECK-SAME: -> tensor<7x64x1xf32>
// CHECK: stablehlo.reshape %[[G]] : (tensor<7x64x1xf32>) -> tensor<7x64xf32>
// CHECK: %[[H:.*]] = "stablehlo.gather"{{.*}} -> tensor<1000x64x7xf32>
// CHECK: %[[K:.*]] = "stablehlo.gather"{{.*}} -> tensor<7x64xf32>
// CHECK: return %{{.*}}, %[[H]], %[[K]]
func.func @columns(%x: tensor<1000x64x10xf32>, %i: tensor<7x2xi32>, %j: tensor<7x1xi32>, %s: tensor<100x64x10xf32>) -> (tensor<7x64xf32>, tensor<1000x64x7xf32>, tensor<7x64xf32>) {
  %g = "stablehlo.gather"(%x, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 64, 1>
  }> : (tensor<1000x64x10xf32>, tensor<7x2xi32>) -> tensor<7x64xf32>
  %h = "stablehlo.gather"(%x, %j) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>,
    slice_sizes = array<i64: 1000, 64, 1>
  }> : (tensor<1000x64x10xf32>, tensor<7x1xi32>) -> tensor<1000x64x7xf32>
  %k = "stablehlo.gather"(%s, %i) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [0, 2], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 64, 1>
  }> : (tensor<100x64x10xf32>, tensor<7x2xi32>) -> tensor<7x64xf32>
  return %g, %h, %k : tensor<7x64xf32>, tensor<1000x64x7xf32>, tensor<7x64xf32>
}

// -----

// A lookup takes as long for many positions of a row as a selection for one.
// CHECK-LABEL: @many_positions
// CHECK: stablehlo.gather
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @many_positions(%x: tensor<128x1000xf32>, %i: tensor<128x5x1xi32>) -> tensor<128x5xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<128x1000xf32>, tensor<128x5x1xi32>) -> tensor<128x5xf32>
  return %0 : tensor<128x5xf32>
}
