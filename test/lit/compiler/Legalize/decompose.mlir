// Operations become others that express them.
// RUN: systole-opt %s --systole-decompose --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dot(
func.func @dot(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<4x5xf32> {
  // CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGH, HIGHEST]
  %0 = stablehlo.dot %x, %y, precision = [HIGH, HIGHEST] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Labels of both operands are batching or contracting dimensions; `d` is summed first.
// CHECK-LABEL: func.func @einsum(
func.func @einsum(%x: tensor<2x4x8xf32>, %y: tensor<8x2x5x3xf32>) -> tensor<5x2x4xf32> {
  // CHECK: %[[S:.*]] = stablehlo.reduce(%arg1 init: %{{.*}}) applies stablehlo.add across dimensions = [3]
  // CHECK-NEXT: %[[P:.*]] = stablehlo.dot_general %arg0, %[[S]], batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x4x8xf32>, tensor<8x2x5xf32>) -> tensor<2x4x5xf32>
  // CHECK-NEXT: stablehlo.transpose %[[P]], dims = [2, 0, 1]
  %0 = stablehlo.einsum %x, %y, config = "iab,bicd->cia" : (tensor<2x4x8xf32>, tensor<8x2x5x3xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @diagonal(
func.func @diagonal(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // CHECK: %[[I:.*]] = stablehlo.iota dim = 0
  // CHECK: %[[J:.*]] = stablehlo.iota dim = 1
  // CHECK: %[[M:.*]] = stablehlo.compare EQ, %[[I]], %[[J]]
  // CHECK: %[[D:.*]] = stablehlo.select %[[M]], %arg0
  // CHECK: stablehlo.reduce(%[[D]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
  %0 = stablehlo.unary_einsum %x, config = "aa->a" : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%x: tensor<4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.broadcast %x, sizes = [2, 3] : (tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func.func @select(
func.func @select(%x: tensor<2x7x8x5xf32>, %i: tensor<2x3x4xi32>) -> tensor<2x7x3x4x5xf32> {
  // CHECK-NEXT: "stablehlo.gather"(%arg0, %arg1)
  // CHECK-SAME: offset_dims = [1, 4], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 3
  // CHECK-SAME: slice_sizes = array<i64: 1, 7, 1, 5>
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 1 : i64}> : (tensor<2x7x8x5xf32>, tensor<2x3x4xi32>) -> tensor<2x7x3x4x5xf32>
  return %0 : tensor<2x7x3x4x5xf32>
}

// -----

// Each operation has a key of its own, and in a loop a counter that the trip is part of.
// CHECK-LABEL: func.func @rng(
func.func @rng(%a: tensor<f32>, %b: tensor<f32>, %n: tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3xui32>)
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<3xui32>) -> tensor<3xf32>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  // CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}}) : tensor<i32>, tensor<3xf32>, tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %0) : tensor<i32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    // CHECK: %[[KEY:.*]] = stablehlo.constant dense<1> : tensor<ui32>
    // CHECK: stablehlo.add %{{.*}}, %[[T]] : tensor<ui32>
    // CHECK: stablehlo.rng_bit_generator
    // CHECK: chlo.erf_inv
    %y = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    stablehlo.return %next, %y : tensor<i32>, tensor<3xf32>
  }
  return %0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// Rows of no group are zero: what the loop begins with.
// CHECK-LABEL: func.func @ragged_rows(
func.func @ragged_rows(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<3xi32>) -> tensor<8x5xf32> {
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<8x5xf32>
  // CHECK: stablehlo.while(%[[G:.*]] = %{{.*}}, %[[ACC:.*]] = %[[ZERO]])
  // CHECK: stablehlo.dynamic_slice %arg1, %[[G]], %{{.*}}, %{{.*}}, sizes = [1, 4, 5]
  // CHECK: %[[P:.*]] = stablehlo.dot_general %arg0, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT]
  // CHECK: stablehlo.select %{{.*}}, %[[P]], %[[ACC]]
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

// CHECK-LABEL: func.func @ragged_depth(
func.func @ragged_depth(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>, %n: tensor<3xi32>) -> tensor<3x4x5xf32> {
  // CHECK: stablehlo.while
  // CHECK: %[[L:.*]] = stablehlo.select %{{.*}}, %arg0
  // CHECK: %[[R:.*]] = stablehlo.select %{{.*}}, %arg1
  // CHECK: stablehlo.dot_general %[[L]], %[[R]], contracting_dims = [0] x [0]
  // CHECK: stablehlo.dynamic_update_slice
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<8x5xf32>, tensor<3xi32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

// -----

// CHECK-LABEL: func.func @ragged_batch(
func.func @ragged_batch(%x: tensor<8x4x2xf32>, %y: tensor<8x2x5xf32>, %n: tensor<3xi32>) -> tensor<8x4x5xf32> {
  // CHECK-NEXT: stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1]
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<8x4x2xf32>, tensor<8x2x5xf32>, tensor<3xi32>) -> tensor<8x4x5xf32>
  return %0 : tensor<8x4x5xf32>
}

// -----

// From the last index on.
// CHECK-LABEL: func.func @scan(
func.func @scan(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // CHECK: stablehlo.while(%[[TRIP:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[C:.*]] = %arg1)
  // CHECK: %[[LAST:.*]] = stablehlo.constant dense<3> : tensor<i32>
  // CHECK: %[[I:.*]] = stablehlo.subtract %[[LAST]], %[[TRIP]]
  // CHECK: stablehlo.dynamic_slice %arg0, %[[I]], %{{.*}}, sizes = [1, 8]
  // CHECK: %[[SUM:.*]] = stablehlo.add %{{.*}}, %[[C]] : tensor<8xf32>
  // CHECK: stablehlo.dynamic_update_slice %[[Y]]
  // CHECK: stablehlo.return %{{.*}}, %{{.*}}, %[[SUM]]
  %y, %last = chlo.scan(%x) inits (%s) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %r = stablehlo.add %a, %c : tensor<8xf32>
    stablehlo.return %r, %r : tensor<8xf32>, tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %y, %last : tensor<4x8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @constant(
func.func @constant() -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Branches of a body are selections; the last one is for all other numbers.
// CHECK-LABEL: func.func @branches(
func.func @branches(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce(%x init: %init) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    // CHECK: %[[I:.*]] = stablehlo.convert %[[A:.*]] : (tensor<f32>) -> tensor<i32>
    %i = stablehlo.convert %a : (tensor<f32>) -> tensor<i32>
    // CHECK: %[[S:.*]] = stablehlo.add %[[A]], %[[B:.*]] : tensor<f32>
    // CHECK: %[[C1:.*]] = stablehlo.constant dense<1> : tensor<i32>
    // CHECK: %[[IS1:.*]] = stablehlo.compare EQ, %[[I]], %[[C1]]
    // CHECK: %[[X:.*]] = stablehlo.select %[[IS1]], %[[S]], %[[B]]
    // CHECK: %[[C0:.*]] = stablehlo.constant dense<0> : tensor<i32>
    // CHECK: %[[IS0:.*]] = stablehlo.compare EQ, %[[I]], %[[C0]]
    // CHECK: %[[Y:.*]] = stablehlo.select %[[IS0]], %[[A]], %[[X]]
    // CHECK-NEXT: stablehlo.return %[[Y]]
    %c = "stablehlo.case"(%i) ({
      stablehlo.return %a : tensor<f32>
    }, {
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }, {
      stablehlo.return %b : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Small tensors of a body are scalars, those from outside taken apart there.
// CHECK-LABEL: func.func @scalars(
func.func @scalars(%x: tensor<8xf32>, %init: tensor<f32>, %table: tensor<2xf32>) -> tensor<f32> {
  // CHECK: %[[T0:.*]] = stablehlo.reshape %{{.*}} : (tensor<1xf32>) -> tensor<f32>
  // CHECK: %[[T1:.*]] = stablehlo.reshape %{{.*}} : (tensor<1xf32>) -> tensor<f32>
  // CHECK: stablehlo.reduce(%arg0 init: %arg1)
  %r = stablehlo.reduce(%x init: %init) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %u = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %v = stablehlo.reshape %b : (tensor<f32>) -> tensor<1xf32>
    %k = stablehlo.concatenate %u, %v, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    // CHECK: %[[P:.*]] = stablehlo.multiply %{{.*}}, %[[T0]] : tensor<f32>
    // CHECK: %[[Q:.*]] = stablehlo.multiply %{{.*}}, %[[T1]] : tensor<f32>
    %w = stablehlo.multiply %k, %table : tensor<2xf32>
    // CHECK: %[[M:.*]] = stablehlo.maximum %arg1, %[[P]]
    // CHECK: %[[N:.*]] = stablehlo.maximum %[[M]], %[[Q]]
    // CHECK-NEXT: stablehlo.return %[[N]]
    %m = stablehlo.reduce(%w init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %m : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// The operands and the sum of an algorithm; the machine multiplies what is not converted.
// CHECK-LABEL: func.func @algorithms(
func.func @algorithms(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  // CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  // CHECK: %[[Y:.*]] = stablehlo.convert %arg1 : (tensor<8x5xf32>) -> tensor<8x5xf16>
  // CHECK: %[[P:.*]] = stablehlo.dot_general %[[X]], %[[Y]], {{.*}} -> tensor<4x5xf16>
  // CHECK: stablehlo.convert %[[P]] : (tensor<4x5xf16>) -> tensor<4x5xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // CHECK: stablehlo.dot_general %arg0, %arg1, {{.*}}lhs_precision_type = tf32
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}
