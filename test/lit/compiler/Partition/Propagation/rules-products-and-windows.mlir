// Sharding rules, which are Shardy's: products and windows.
// RUN: systole-opt --systole-populate-sharding-rules %s | FileCheck %s

// CHECK-LABEL: func.func @dot_general_1(
// CHECK: #sdy.op_sharding_rule<([i], [j, i])->([i, j]) {i=16, j=1}>
func.func @dot_general_1(%a: tensor<16xf32>, %b: tensor<1x16xf32>) -> (tensor<16x1xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>}> : (tensor<16xf32>, tensor<1x16xf32>) -> (tensor<16x1xf32>)
  return %r : tensor<16x1xf32>
}

// CHECK-LABEL: func.func @dot_general_2(
// CHECK: #sdy.op_sharding_rule<([j, i, k], [i, l, m])->([i, j, k, l, m]) {i=8, j=3, k=1, l=4, m=4}>
func.func @dot_general_2(%a: tensor<3x8x1xf32>, %b: tensor<8x4x4xf32>) -> (tensor<8x3x1x4x4xf32>) {
  %r = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>}> : (tensor<3x8x1xf32>, tensor<8x4x4xf32>) -> (tensor<8x3x1x4x4xf32>)
  return %r : tensor<8x3x1x4x4xf32>
}

// CHECK-LABEL: func.func @dot_1(
// CHECK: #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=5, j=1} reduction={j}>
func.func @dot_1(%a: tensor<1xf32>, %b: tensor<1x5xf32>) -> (tensor<5xf32>) {
  %r = "stablehlo.dot"(%a, %b) : (tensor<1xf32>, tensor<1x5xf32>) -> (tensor<5xf32>)
  return %r : tensor<5xf32>
}

// CHECK-LABEL: func.func @dot_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [j])->([i]) {i=1, j=1} reduction={j}>
func.func @dot_2(%a: tensor<1x1xf32>, %b: tensor<1xf32>) -> (tensor<1xf32>) {
  %r = "stablehlo.dot"(%a, %b) : (tensor<1x1xf32>, tensor<1xf32>) -> (tensor<1xf32>)
  return %r : tensor<1xf32>
}

// CHECK-LABEL: func.func @convolution_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [k, l, m])->([i, j, l]) {i=4, j=14, k=1, l=2, m=1} reduction={k} permutation={j}>
func.func @convolution_1(%a: tensor<4x16x1xf32>, %b: tensor<1x2x4xf32>) -> (tensor<4x14x2xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[i, o, 0]->[b, 0, f]>, window_strides = array<i64: 1>, padding = dense<[[0, 1]]> : tensor<1x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<4x16x1xf32>, tensor<1x2x4xf32>) -> (tensor<4x14x2xf32>)
  return %r : tensor<4x14x2xf32>
}

// CHECK-LABEL: func.func @convolution_2(
// CHECK: #sdy.op_sharding_rule<([n, ij, kl, m], [n, i, k, m])->([o, l, j, i]) {i=2, j=2, k=4, l=2, m=30, n=1, o=1} reduction={k, m, n} permutation={l}>
func.func @convolution_2(%a: tensor<1x4x8x30xf32>, %b: tensor<1x2x4x30xf32>) -> (tensor<2x3x2x2xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[f, b, 0, 1]x[i, o, 0, 1]->[1, 0, b, f]>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>, feature_group_count = 1 : i64, batch_group_count = 2 : i64}> : (tensor<1x4x8x30xf32>, tensor<1x2x4x30xf32>) -> (tensor<2x3x2x2xf32>)
  return %r : tensor<2x3x2x2xf32>
}

// CHECK-LABEL: func.func @convolution_3(
// CHECK: #sdy.op_sharding_rule<([j, i, k], [l, km, j])->([km, i, n]) {i=4, j=30, k=4, l=1, m=6, n=1} reduction={j, l}>
func.func @convolution_3(%a: tensor<30x4x4xf32>, %b: tensor<1x24x30xf32>) -> (tensor<24x4x3xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[0, b, f]x[i, o, 0]->[f, b, 0]>, window_strides = array<i64: 1>, padding = dense<[[1, 1]]> : tensor<1x2xi64>, feature_group_count = 4 : i64, batch_group_count = 1 : i64}> : (tensor<30x4x4xf32>, tensor<1x24x30xf32>) -> (tensor<24x4x3xf32>)
  return %r : tensor<24x4x3xf32>
}

// CHECK-LABEL: func.func @convolution_4(
// CHECK: #sdy.op_sharding_rule<([i, j], [j, k])->([l, i]) {i=6, j=4, k=1, l=1} reduction={j}>
func.func @convolution_4(%a: tensor<6x4xf32>, %b: tensor<4x1xf32>) -> (tensor<1x6xf32>) {
  %r = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[f, b]>, window_strides = array<i64>, padding = dense<> : tensor<0x2xi64>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<6x4xf32>, tensor<4x1xf32>) -> (tensor<1x6xf32>)
  return %r : tensor<1x6xf32>
}

// CHECK-LABEL: func.func @reduce_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [])->([]) {i=2, j=1} reduction={i, j}>
func.func @reduce_1(%a: tensor<2x1xf32>, %b: tensor<f32>) -> (tensor<f32>) {
  %r = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<2x1xf32>, tensor<f32>) -> (tensor<f32>)
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @reduce_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l], [])->([i, k]) {i=4, j=8, k=12, l=30} reduction={j, l}>
func.func @reduce_2(%a: tensor<4x8x12x30xf32>, %b: tensor<f32>) -> (tensor<4x12xf32>) {
  %r = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1, 3>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<4x8x12x30xf32>, tensor<f32>) -> (tensor<4x12xf32>)
  return %r : tensor<4x12xf32>
}

// CHECK-LABEL: func.func @reduce_window_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=2, j=8, k=2} permutation={i, j, k}>
func.func @reduce_window_1(%a: tensor<4x6x1xf32>, %b: tensor<f32>) -> (tensor<2x8x2xf32>) {
  %r = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2, 1, 1>, window_strides = array<i64: 2, 1, 2>, padding = dense<[[0, 0], [1, 1], [1, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.maximum %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<4x6x1xf32>, tensor<f32>) -> (tensor<2x8x2xf32>)
  return %r : tensor<2x8x2xf32>
}

// CHECK-LABEL: func.func @reduce_window_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [i, j, k], [], [])->([i, j, k], [i, j, k]) {i=3, j=9, k=7} permutation={i, j, k}>
func.func @reduce_window_2(%a: tensor<1x7x7xf32>, %b: tensor<1x7x7xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<3x9x7xf32>, tensor<3x9x7xf32>) {
  %r:2 = "stablehlo.reduce_window"(%a, %b, %c, %d) <{window_dimensions = array<i64: 1, 1, 2>, padding = dense<[[1, 1], [1, 1], [0, 1]]> : tensor<3x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %x2: tensor<f32>, %x3: tensor<f32>):
    %s0 = stablehlo.maximum %x0, %x2 : tensor<f32>
    %s1 = stablehlo.maximum %x1, %x3 : tensor<f32>
    stablehlo.return %s0, %s1 : tensor<f32>, tensor<f32>
  }) : (tensor<1x7x7xf32>, tensor<1x7x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x9x7xf32>, tensor<3x9x7xf32>)
  return %r#0, %r#1 : tensor<3x9x7xf32>, tensor<3x9x7xf32>
}

// CHECK-LABEL: func.func @select_and_scatter_1(
// CHECK: #sdy.op_sharding_rule<([j, k], [i, k], [])->([j, k]) {i=2, j=5, k=4} need_replication={i} permutation={j}>
func.func @select_and_scatter_1(%a: tensor<5x4xf32>, %b: tensor<2x4xf32>, %c: tensor<f32>) -> (tensor<5x4xf32>) {
  %r = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 5, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<5x4xf32>)
  return %r : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @select_and_scatter_2(
// CHECK: #sdy.op_sharding_rule<([j, l], [i, k], [])->([j, l]) {i=2, j=24, k=4, l=4} need_replication={i, k} permutation={j, l}>
func.func @select_and_scatter_2(%a: tensor<24x4xf32>, %b: tensor<2x4xf32>, %c: tensor<f32>) -> (tensor<24x4xf32>) {
  %r = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 24, 2>, padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<24x4xf32>, tensor<2x4xf32>, tensor<f32>) -> (tensor<24x4xf32>)
  return %r : tensor<24x4xf32>
}

// CHECK-LABEL: func.func @batch_norm_inference_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [i], [i], [i], [i])->([i, j]) {i=8, j=12}>
func.func @batch_norm_inference_1(%a: tensor<8x12xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8x12xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 0 : i64}> : (tensor<8x12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8x12xf32>)
  return %r : tensor<8x12xf32>
}

// CHECK-LABEL: func.func @batch_norm_inference_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=4, j=4, k=12}>
func.func @batch_norm_inference_2(%a: tensor<4x4x12xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4x4x12xf32>) {
  %r = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x4x12xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4x12xf32>)
  return %r : tensor<4x4x12xf32>
}
