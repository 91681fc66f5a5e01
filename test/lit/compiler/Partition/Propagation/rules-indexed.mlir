// Sharding rules, which are Shardy's: indexed.
// RUN: systole-opt --systole-populate-sharding-rules %s | FileCheck %s

// CHECK-LABEL: func.func @gather_1(
// CHECK: #sdy.op_sharding_rule<([i], [l, i, j, k])->([i, j, k]) {i=1, j=5, k=2, l=0} need_replication={l}>
func.func @gather_1(%a: tensor<1xf32>, %b: tensor<0x1x5x2xi32>) -> (tensor<1x5x2xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [], index_vector_dim = 0>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<1xf32>, tensor<0x1x5x2xi32>) -> (tensor<1x5x2xf32>)
  return %r : tensor<1x5x2xf32>
}

// CHECK-LABEL: func.func @gather_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [j])->([i, j]) {i=3, j=2}>
func.func @gather_2(%a: tensor<3x2xf32>, %b: tensor<2xi32>) -> (tensor<3x2xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [], operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1>, indices_are_sorted = false}> : (tensor<3x2xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @gather_3(
// CHECK: #sdy.op_sharding_rule<([l, k], [i, j, m])->([i, j, k]) {i=8, j=30, k=24, l=3, m=2} reduction={l} need_replication={m}>
func.func @gather_3(%a: tensor<3x24xf32>, %b: tensor<8x30x2xi32>) -> (tensor<8x30x24xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [1, 0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 24>, indices_are_sorted = false}> : (tensor<3x24xf32>, tensor<8x30x2xi32>) -> (tensor<8x30x24xf32>)
  return %r : tensor<8x30x24xf32>
}

// CHECK-LABEL: func.func @gather_4(
// CHECK: #sdy.op_sharding_rule<([l, m, i], [i, n, j, k])->([i, j, k]) {i=3, j=8, k=1, l=24, m=64, n=2} reduction={l, m} need_replication={n}>
func.func @gather_4(%a: tensor<24x64x3xf32>, %b: tensor<3x2x8x1xi32>) -> (tensor<3x8x1xf32>) {
  %r = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>, indices_are_sorted = false}> : (tensor<24x64x3xf32>, tensor<3x2x8x1xi32>) -> (tensor<3x8x1xf32>)
  return %r : tensor<3x8x1xf32>
}

// CHECK-LABEL: func.func @scatter_1(
// CHECK: #sdy.op_sharding_rule<([j, k, l, m], [j, k, l, m], [n, i], [i], [i])->([j, k, l, m], [j, k, l, m]) {i=1, j=16, k=64, l=24, m=64, n=4} reduction={i} need_replication={n}>
func.func @scatter_1(%a: tensor<16x64x24x64xf32>, %b: tensor<16x64x24x64xf32>, %c: tensor<4x1xi32>, %d: tensor<1xf32>, %e: tensor<1xf32>) -> (tensor<16x64x24x64xf32>, tensor<16x64x24x64xf32>) {
  %r:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1, 2, 3], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1, 2, 3], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    %s0 = stablehlo.maximum %x0, %x2 : tensor<f32>
    %s1 = stablehlo.maximum %x1, %x3 : tensor<f32>
    stablehlo.return %s0, %s1 : tensor<f32>, tensor<f32>
  }) : (tensor<16x64x24x64xf32>, tensor<16x64x24x64xf32>, tensor<4x1xi32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<16x64x24x64xf32>, tensor<16x64x24x64xf32>)
  return %r#0, %r#1 : tensor<16x64x24x64xf32>, tensor<16x64x24x64xf32>
}

// CHECK-LABEL: func.func @scatter_2(
// CHECK: #sdy.op_sharding_rule<([j, k, l], [i, m], [i])->([j, k, l]) {i=6, j=2, k=6, l=16, m=3} need_replication={i, m}>
func.func @scatter_2(%a: tensor<2x6x16xi32>, %b: tensor<6x3xi32>, %c: tensor<6xi32>) -> (tensor<2x6x16xi32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1, 2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1, 0, 2], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    %s0 = stablehlo.or %x1, %x0 : tensor<i32>
    stablehlo.return %s0 : tensor<i32>
  }) : (tensor<2x6x16xi32>, tensor<6x3xi32>, tensor<6xi32>) -> (tensor<2x6x16xi32>)
  return %r : tensor<2x6x16xi32>
}

// CHECK-LABEL: func.func @scatter_3(
// CHECK: #sdy.op_sharding_rule<([j, i, l], [j, k, m], [i, j, k])->([j, i, l]) {i=30, j=7, k=4, l=64, m=2} reduction={k} need_replication={m}>
func.func @scatter_3(%a: tensor<7x30x64xf32>, %b: tensor<7x4x2xi32>, %c: tensor<30x7x4xf32>) -> (tensor<7x30x64xf32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [2], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2, 1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<7x30x64xf32>, tensor<7x4x2xi32>, tensor<30x7x4xf32>) -> (tensor<7x30x64xf32>)
  return %r : tensor<7x30x64xf32>
}

// CHECK-LABEL: func.func @scatter_4(
// CHECK: #sdy.op_sharding_rule<([k, l, m, n], [o, i, j], [i, j])->([k, l, m, n]) {i=4, j=30, k=16, l=64, m=8, n=8, o=4} need_replication={i, j, o}>
func.func @scatter_4(%a: tensor<16x64x8x8xi32>, %b: tensor<4x4x30xi32>, %c: tensor<4x30xi32>) -> (tensor<16x64x8x8xi32>) {
  %r = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1, 2, 3], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [2, 0, 3, 1], index_vector_dim = 0>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x0: tensor<i32>, %x1: tensor<i32>):
    %s0 = stablehlo.and %x0, %x1 : tensor<i32>
    stablehlo.return %s0 : tensor<i32>
  }) : (tensor<16x64x8x8xi32>, tensor<4x4x30xi32>, tensor<4x30xi32>) -> (tensor<16x64x8x8xi32>)
  return %r : tensor<16x64x8x8xi32>
}

// CHECK-LABEL: func.func @dynamic_slice_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=8, j=1}>
func.func @dynamic_slice_1(%a: tensor<8x1xf32>, %b: tensor<i32>, %c: tensor<i32>) -> (tensor<8x1xf32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b, %c) <{slice_sizes = array<i64: 8, 1>}> : (tensor<8x1xf32>, tensor<i32>, tensor<i32>) -> (tensor<8x1xf32>)
  return %r : tensor<8x1xf32>
}

// CHECK-LABEL: func.func @dynamic_slice_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l], [], [], [], [])->([i, j, k, l]) {i=4, j=8, k=16, l=4} need_replication={i} blocked_propagation={i}>
func.func @dynamic_slice_2(%a: tensor<4x8x16x4xf32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>) -> (tensor<3x8x16x4xf32>) {
  %r = "stablehlo.dynamic_slice"(%a, %b, %c, %d, %e) <{slice_sizes = array<i64: 3, 8, 16, 4>}> : (tensor<4x8x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<3x8x16x4xf32>)
  return %r : tensor<3x8x16x4xf32>
}

// CHECK-LABEL: func.func @dynamic_update_slice_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, j]) {i=3, j=2}>
func.func @dynamic_update_slice_1(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>, %c: tensor<i32>, %d: tensor<i32>) -> (tensor<3x2xf32>) {
  %r = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d) : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> (tensor<3x2xf32>)
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @dynamic_update_slice_2(
// CHECK: #sdy.op_sharding_rule<([i, k, l], [j, k, l], [], [], [])->([i, k, l]) {i=7, j=3, k=30, l=2} need_replication={j}>
func.func @dynamic_update_slice_2(%a: tensor<7x30x2xf32>, %b: tensor<3x30x2xf32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>) -> (tensor<7x30x2xf32>) {
  %r = "stablehlo.dynamic_update_slice"(%a, %b, %c, %d, %e) : (tensor<7x30x2xf32>, tensor<3x30x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<7x30x2xf32>)
  return %r : tensor<7x30x2xf32>
}

// CHECK-LABEL: func.func @sort_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=12, j=5, k=6} need_replication={j}>
func.func @sort_1(%a: tensor<12x5x6xf32>) -> (tensor<12x5x6xf32>) {
  %r = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %p = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<12x5x6xf32>) -> (tensor<12x5x6xf32>)
  return %r : tensor<12x5x6xf32>
}

// CHECK-LABEL: func.func @sort_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l])->([i, j, k, l], [i, j, k, l]) {i=16, j=5, k=6, l=64} need_replication={k}>
func.func @sort_2(%a: tensor<16x5x6x64xf32>, %b: tensor<16x5x6x64xf32>) -> (tensor<16x5x6x64xf32>, tensor<16x5x6x64xf32>) {
  %r:2 = "stablehlo.sort"(%a, %b) <{dimension = 2 : i64, is_stable = true}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    %p = stablehlo.compare LT, %x0, %x1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<16x5x6x64xf32>, tensor<16x5x6x64xf32>) -> (tensor<16x5x6x64xf32>, tensor<16x5x6x64xf32>)
  return %r#0, %r#1 : tensor<16x5x6x64xf32>, tensor<16x5x6x64xf32>
}
