// RUN: %systole-opt %s --systole-simplify --split-input-file | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: return %[[X]] : tensor<2x3xf32>
func.func @identities(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.slice %2 [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.pad %3, %zero, low = [0, 0], high = [0, 0], interior = [0, 0]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %5 = stablehlo.concatenate %4, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = stablehlo.convert %5 : tensor<2x3xf32>
  %8 = stablehlo.dynamic_slice %6, %i, %i, sizes = [2, 3]
      : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %8 : tensor<2x3xf32>
}

// -----

// Padding of opposite sign keeps the shape but moves the elements.
// CHECK-LABEL: @shifting_pad
// CHECK: stablehlo.pad
func.func @shifting_pad(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<4xf32> {
  %0 = stablehlo.pad %x, %p, low = [1], high = [-1], interior = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @chains
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK: %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<24xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 2, 0]
// CHECK: return %[[R]], %[[T]]
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<3x4x2xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
  %2 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %1, %3 : tensor<24xf32>, tensor<3x4x2xf32>
}

// -----

// Dimensions of size 1 may move anywhere.
// CHECK-LABEL: @unit_transpose
// CHECK: stablehlo.reshape %{{.*}} : (tensor<5x1x3xf32>) -> tensor<1x5x3xf32>
func.func @unit_transpose(%x: tensor<5x1x3xf32>) -> tensor<1x5x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<5x1x3xf32>) -> tensor<1x5x3xf32>
  return %0 : tensor<1x5x3xf32>
}

// -----

// CHECK-LABEL: @sorted_broadcast
// CHECK: %[[T:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK: stablehlo.broadcast_in_dim %[[T]], dims = [0, 2]
func.func @sorted_broadcast(%x: tensor<3x2xf32>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<3x2xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// CHECK-LABEL: @uniform_operands
// CHECK: %[[P:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i1>) -> tensor<4xi1>
// CHECK: stablehlo.select %[[P]], %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>
func.func @uniform_operands(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A large unsigned position saturates before it becomes signed.
// CHECK-LABEL: @unsigned_index
// CHECK: %[[M:.*]] = stablehlo.constant dense<2147483647> : tensor<ui32>
// CHECK: %[[C:.*]] = stablehlo.minimum %arg1, %[[M]]
// CHECK: %[[I:.*]] = stablehlo.convert %[[C]] : (tensor<ui32>) -> tensor<i32>
// CHECK: stablehlo.dynamic_slice %arg0, %[[I]], sizes = [2]
func.func @unsigned_index(%x: tensor<8xf32>, %i: tensor<ui32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<8xf32>, tensor<ui32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Iota and broadcasts are created in the transposed order.
// CHECK-LABEL: @transposed_for_nothing
// CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<3xf32>) -> tensor<5x4x3xf32>
// CHECK-DAG: %[[I:.*]] = stablehlo.iota dim = 1 : tensor<3x2xi32>
// CHECK: return %[[B]], %[[I]]
func.func @transposed_for_nothing(%x: tensor<3xf32>) -> (tensor<5x4x3xf32>, tensor<3x2xi32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3x4x5xf32>
  %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<3x4x5xf32>) -> tensor<5x4x3xf32>
  %2 = stablehlo.iota dim = 0 : tensor<2x3xi32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %1, %3 : tensor<5x4x3xf32>, tensor<3x2xi32>
}

// -----

// Indices of one component need no index vector dimension.
// CHECK-LABEL: @positions
// CHECK-SAME: %[[X:.*]]: tensor<50x8xf32>, %[[I:.*]]: tensor<9xi32>
// CHECK: "stablehlo.gather"(%[[X]], %[[I]])
func.func @positions(%x: tensor<50x8xf32>, %i: tensor<9xi32>) -> tensor<9x8xf32> {
  %0 = stablehlo.reshape %i : (tensor<9xi32>) -> tensor<9x1xi32>
  %1 = "stablehlo.gather"(%x, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}> : (tensor<50x8xf32>, tensor<9x1xi32>) -> tensor<9x8xf32>
  return %1 : tensor<9x8xf32>
}

// -----

// A reshaped iota is a sum of iotas.
// CHECK-LABEL: @folded_iota
// CHECK-DAG: %[[ROWS:.*]] = stablehlo.iota dim = 0 : tensor<3x5xi32>
// CHECK-DAG: %[[FIVE:.*]] = stablehlo.constant dense<5> : tensor<3x5xi32>
// CHECK: %[[BASE:.*]] = stablehlo.multiply %[[ROWS]], %[[FIVE]]
// CHECK: %[[LANES:.*]] = stablehlo.iota dim = 1 : tensor<3x5xi32>
// CHECK: %[[SUM:.*]] = stablehlo.add %[[BASE]], %[[LANES]]
// CHECK: %[[R:.*]] = stablehlo.convert %[[SUM]] : (tensor<3x5xi32>) -> tensor<3x5xi8>
// CHECK-NEXT: return %[[R]]
func.func @folded_iota() -> tensor<3x5xi8> {
  %0 = stablehlo.iota dim = 0 : tensor<15xi8>
  %1 = stablehlo.reshape %0 : (tensor<15xi8>) -> tensor<3x5xi8>
  return %1 : tensor<3x5xi8>
}

// -----

// 8 of 16 million elements: a window; half of them: a slice.
// CHECK-LABEL: @window_of_large
// CHECK-DAG: %[[ROW:.*]] = stablehlo.constant dense<17> : tensor<i32>
// CHECK-DAG: %[[LANE:.*]] = stablehlo.constant dense<4092> : tensor<i32>
// CHECK: stablehlo.dynamic_slice %arg0, %[[ROW]], %[[LANE]], sizes = [2, 4]
// CHECK: stablehlo.slice
func.func @window_of_large(%x: tensor<4096x4096xf32>) -> (tensor<2x4xf32>, tensor<2048x4096xf32>) {
  %0 = stablehlo.slice %x [17:19, 4092:4096] : (tensor<4096x4096xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.slice %x [1:2049, 0:4096] : (tensor<4096x4096xf32>) -> tensor<2048x4096xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2048x4096xf32>
}

// -----

// Of many positions the components are the last dimension of the indices; what pairs with a
// dimension of the operand moves with the rest. A few are read as they are.
// CHECK-LABEL: @components
// CHECK: %[[I:.*]] = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<3x2x500xi32>) -> tensor<3x500x2xi32>
// CHECK: "stablehlo.gather"(%arg0, %[[I]]) {{.*}}operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2
// CHECK: stablehlo.reshape %arg2 : (tensor<1x2000xi32>) -> tensor<2000x1xi32>
func.func @components(%x: tensor<3x60x50x8xf32>, %i: tensor<3x2x500xi32>, %j: tensor<1x2000xi32>, %y: tensor<60x8xf32>, %k: tensor<2x50xi32>) -> (tensor<3x500x8xf32>, tensor<2000x8xf32>, tensor<50xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1, 8>, indices_are_sorted = false}> : (tensor<3x60x50x8xf32>, tensor<3x2x500xi32>) -> tensor<3x500x8xf32>
  %1 = "stablehlo.gather"(%y, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false}> : (tensor<60x8xf32>, tensor<1x2000xi32>) -> tensor<2000x8xf32>
  // CHECK: "stablehlo.gather"(%arg3, %arg4)
  %2 = "stablehlo.gather"(%y, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<60x8xf32>, tensor<2x50xi32>) -> tensor<50xf32>
  return %0, %1, %2 : tensor<3x500x8xf32>, tensor<2000x8xf32>, tensor<50xf32>
}

// A slice of a broadcast becomes a broadcast of a slice; dimensions of size 1 are kept.
// CHECK-LABEL: @slice_of_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<1000xf32>, %[[Y:.*]]: tensor<1x1000xf32>
// CHECK: %[[A:.*]] = stablehlo.slice %[[X]] [3:7:2]
// CHECK: stablehlo.broadcast_in_dim %[[A]], dims = [1] : (tensor<2xf32>) -> tensor<5x2xf32>
// CHECK: %[[B:.*]] = stablehlo.slice %[[Y]] [0:1, 3:7]
// CHECK: stablehlo.broadcast_in_dim %[[B]], dims = [0, 1] : (tensor<1x4xf32>) -> tensor<5x4xf32>
func.func @slice_of_broadcast(%x: tensor<1000xf32>, %y: tensor<1x1000xf32>) -> (tensor<5x2xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1000xf32>) -> tensor<20000x1000xf32>
  %1 = stablehlo.slice %0 [5:10, 3:7:2] : (tensor<20000x1000xf32>) -> tensor<5x2xf32>
  %2 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x1000xf32>) -> tensor<20000x1000xf32>
  %3 = stablehlo.slice %2 [5:10, 3:7] : (tensor<20000x1000xf32>) -> tensor<5x4xf32>
  return %1, %3 : tensor<5x2xf32>, tensor<5x4xf32>
}

// -----

// Arrays pass a barrier, alone too. Constants and what counts leave it, a broadcast passes before it
// repeats, and an integer of rank 0 is waited for only.
// CHECK-LABEL: @barrier
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<i32>)
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[N:.*]] = stablehlo.iota dim = 0 : tensor<4xi32>
// CHECK: %[[B:.*]]:3 = stablehlo.optimization_barrier %[[X]], %[[X]], %[[I]] : tensor<4xf32>, tensor<4xf32>, tensor<i32>
// CHECK: %[[R:.*]] = stablehlo.broadcast_in_dim %[[B]]#1, dims = [1]
// CHECK: return %[[B]]#0, %[[C]], %[[N]], %[[R]], %[[I]]
func.func @barrier(%x: tensor<4xf32>, %i: tensor<i32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<3x4xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %n = stablehlo.iota dim = 0 : tensor<4xi32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %0:5 = stablehlo.optimization_barrier %x, %c, %n, %y, %i
      : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<3x4xf32>, tensor<i32>
  return %0#0, %0#1, %0#2, %0#3, %0#4
      : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<3x4xf32>, tensor<i32>
}

// -----

// An unused barrier is erased, and so is one in a reducer.
// CHECK-LABEL: @needless_barriers
// CHECK-NOT: optimization_barrier
// CHECK: return
func.func @needless_barriers(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.optimization_barrier %x : tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %2 = stablehlo.optimization_barrier %a : tensor<f32>
    %3 = stablehlo.add %2, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %1 : tensor<f32>
}

// -----

// Of an array that is transposed anyway, what follows is made of the transposed one, however many
// operations it takes; what others read stays as it is.
// CHECK-LABEL: @transposed_work
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[Y:.*]]: tensor<6x8xf32>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0]
// CHECK: %[[D:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<8x6xf32>
// CHECK: %[[S:.*]] = stablehlo.multiply %[[D]], %{{.*}} : tensor<8x6xf32>
// CHECK: %[[O:.*]] = stablehlo.add %[[X]], %[[Y]] : tensor<6x8xf32>
// CHECK: stablehlo.transpose %[[O]], dims = [1, 0]
// CHECK: %[[N:.*]] = stablehlo.negate %[[X]] : tensor<6x8xf32>
// CHECK: stablehlo.transpose %[[N]], dims = [1, 0]
func.func @transposed_work(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<8x6xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<6x8xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.add %x, %c : tensor<6x8xf32>
  %2 = stablehlo.multiply %1, %x : tensor<6x8xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %4 = stablehlo.add %x, %y : tensor<6x8xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %6 = stablehlo.negate %x : tensor<6x8xf32>
  %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  return %0, %3, %5, %6, %7 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<8x6xf32>
}

// -----

// A reduction over dimensions of size 1 combines each element with the initial value; so each result of several.
// CHECK-LABEL: @reduce_of_one
// CHECK-SAME: %[[X:.*]]: tensor<1x5x1xf32>, %[[I:.*]]: tensor<f32>
// CHECK-DAG: %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<1x5x1xf32>) -> tensor<5xf32>
// CHECK-DAG: %[[B:.*]] = stablehlo.broadcast_in_dim %[[I]], dims = [] : (tensor<f32>) -> tensor<5xf32>
// CHECK: %[[S:.*]] = stablehlo.subtract %[[B]], %[[R]] : tensor<5xf32>
// CHECK-DAG: %[[R2:.*]] = stablehlo.reshape %[[X]] : (tensor<1x5x1xf32>) -> tensor<5xf32>
// CHECK-DAG: %[[B2:.*]] = stablehlo.broadcast_in_dim %[[I]], dims = [] : (tensor<f32>) -> tensor<5xf32>
// CHECK: %[[M:.*]] = stablehlo.maximum %[[R2]], %[[B2]] : tensor<5xf32>
// CHECK: return %[[S]], %[[M]]
func.func @reduce_of_one(%x: tensor<1x5x1xf32>, %i: tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0:2 = stablehlo.reduce(%x init: %i), (%x init: %i) across dimensions = [0, 2]
      : (tensor<1x5x1xf32>, tensor<1x5x1xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
      %s = stablehlo.subtract %a, %b : tensor<f32>
      %m = stablehlo.maximum %d, %c : tensor<f32>
      stablehlo.return %s, %m : tensor<f32>, tensor<f32>
    }
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xf32>
}

// -----

// Of dimensions with elements nothing changes, nor with a reducer of several operations.
// CHECK-LABEL: @reduce_of_several
// CHECK-COUNT-2: stablehlo.reduce
func.func @reduce_of_several(%x: tensor<1x5xf32>, %i: tensor<f32>) -> (tensor<1xf32>, tensor<5xf32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<1x5xf32>, tensor<f32>) -> tensor<1xf32>
  %1 = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<5xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %s = stablehlo.add %a, %b : tensor<f32>
      %n = stablehlo.negate %s : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }
  return %0, %1 : tensor<1xf32>, tensor<5xf32>
}

// -----

// A reshape that merges what is reduced is not needed; dimensions of size 1 that it drops are reduced, too.
// CHECK-LABEL: @reduce_of_merge
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x3x1x5xf32>, %[[Y:.*]]: tensor<1x2x3x1x5xi32>
// CHECK: stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 2, 3, 4]
// CHECK: stablehlo.reduce(%[[X]] init: %{{.*}}), (%[[Y]] init: %{{.*}}) across dimensions = [0, 1, 2, 3, 4]
func.func @reduce_of_merge(%x: tensor<1x2x3x1x5xf32>, %y: tensor<1x2x3x1x5xi32>, %i: tensor<f32>, %j: tensor<i32>) -> (tensor<2xf32>, tensor<f32>, tensor<i32>) {
  %0 = stablehlo.reshape %x : (tensor<1x2x3x1x5xf32>) -> tensor<2x15xf32>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x15xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.reshape %x : (tensor<1x2x3x1x5xf32>) -> tensor<6x5xf32>
  %3 = stablehlo.reshape %y : (tensor<1x2x3x1x5xi32>) -> tensor<6x5xi32>
  %4:2 = stablehlo.reduce(%2 init: %i), (%3 init: %j) across dimensions = [0, 1]
      : (tensor<6x5xf32>, tensor<6x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
      %s = stablehlo.add %a, %b : tensor<f32>
      %m = stablehlo.maximum %d, %c : tensor<i32>
      stablehlo.return %s, %m : tensor<f32>, tensor<i32>
    }
  return %1, %4#0, %4#1 : tensor<2xf32>, tensor<f32>, tensor<i32>
}

// -----

// Dimensions that are divided, or of which some are kept, need the reshape.
// CHECK-LABEL: @reduce_of_other_reshapes
// CHECK-COUNT-2: stablehlo.reshape
func.func @reduce_of_other_reshapes(%x: tensor<6x5xf32>, %y: tensor<4x6x5xf32>, %i: tensor<f32>) -> (tensor<2x5xf32>, tensor<5xf32>, tensor<24xf32>) {
  %0 = stablehlo.reshape %x : (tensor<6x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %2 = stablehlo.reshape %y : (tensor<4x6x5xf32>) -> tensor<24x5xf32>
  %3 = stablehlo.reduce(%2 init: %i) applies stablehlo.add across dimensions = [0] {kernel.order = #kernel.order<rows = [], tree = 2>} : (tensor<24x5xf32>, tensor<f32>) -> tensor<5xf32>
  %4 = stablehlo.reduce(%2 init: %i) applies stablehlo.add across dimensions = [1] : (tensor<24x5xf32>, tensor<f32>) -> tensor<24xf32>
  return %1, %3, %4 : tensor<2x5xf32>, tensor<5xf32>, tensor<24xf32>
}

// -----

// A broadcast of an iota is one, so that two of them have no operand in common; along a dimension that it repeats it
// stays.
// CHECK-LABEL: @broadcast_of_iota
// CHECK-DAG: %[[ROWS:.*]] = stablehlo.iota dim = 0 : tensor<7x7xi32>
// CHECK-DAG: %[[COLUMNS:.*]] = stablehlo.iota dim = 1 : tensor<7x7xi32>
// CHECK: stablehlo.subtract %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[ONE:.*]] = stablehlo.iota dim = 0 : tensor<1xi32>
// CHECK: stablehlo.broadcast_in_dim %[[ONE]], dims = [1] : (tensor<1xi32>) -> tensor<7x3xi32>
func.func @broadcast_of_iota() -> (tensor<7x7xi32>, tensor<7x3xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<7xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<7xi32>) -> tensor<7x7xi32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<7xi32>) -> tensor<7x7xi32>
  %3 = stablehlo.subtract %1, %2 : tensor<7x7xi32>
  %4 = stablehlo.iota dim = 0 : tensor<1xi32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<1xi32>) -> tensor<7x3xi32>
  return %3, %5 : tensor<7x7xi32>, tensor<7x3xi32>
}
