// Sharding rules, which are Shardy's: collectives.
// RUN: systole-opt --systole-populate-sharding-rules %s | FileCheck %s

// CHECK-LABEL: func.func @all_gather_1(
// CHECK: #sdy.op_sharding_rule<([i])->([j]) {i=24, j=48} need_replication={i, j}>
func.func @all_gather_1(%a: tensor<24xf32>) -> (tensor<48xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<24xf32>) -> (tensor<48xf32>)
  return %r : tensor<48xf32>
}

// CHECK-LABEL: func.func @all_gather_2(
// CHECK: #sdy.op_sharding_rule<([k, i, j])->([l, i, j]) {i=8, j=7, k=5, l=10} need_replication={k, l}>
func.func @all_gather_2(%a: tensor<5x8x7xf32>) -> (tensor<10x8x7xf32>) {
  %r = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<5x8x7xf32>) -> (tensor<10x8x7xf32>)
  return %r : tensor<10x8x7xf32>
}

// CHECK-LABEL: func.func @reduce_scatter_1(
// CHECK: #sdy.op_sharding_rule<([l, i, j, k])->([m, i, j, k]) {i=1, j=24, k=4, l=12, m=6} need_replication={l, m}>
func.func @reduce_scatter_1(%a: tensor<12x1x24x4xf32>) -> (tensor<6x1x24x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<12x1x24x4xf32>) -> (tensor<6x1x24x4xf32>)
  return %r : tensor<6x1x24x4xf32>
}

// CHECK-LABEL: func.func @reduce_scatter_2(
// CHECK: #sdy.op_sharding_rule<([j, i])->([k, i]) {i=1, j=6, k=3} need_replication={j, k}>
func.func @reduce_scatter_2(%a: tensor<6x1xf32>) -> (tensor<3x1xf32>) {
  %r = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<6x1xf32>) -> (tensor<3x1xf32>)
  return %r : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @all_reduce_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=24, j=5, k=64, l=1}>
func.func @all_reduce_1(%a: tensor<24x5x64x1xf32>) -> (tensor<24x5x64x1xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<24x5x64x1xf32>) -> (tensor<24x5x64x1xf32>)
  return %r : tensor<24x5x64x1xf32>
}

// CHECK-LABEL: func.func @all_reduce_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=3, j=64}>
func.func @all_reduce_2(%a: tensor<3x64xf32>) -> (tensor<3x64xf32>) {
  %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
    %s0 = stablehlo.add %x0, %x1 : tensor<f32>
    stablehlo.return %s0 : tensor<f32>
  }) : (tensor<3x64xf32>) -> (tensor<3x64xf32>)
  return %r : tensor<3x64xf32>
}

// CHECK-LABEL: func.func @all_to_all_1(
// CHECK: #sdy.op_sharding_rule<([j, i, l])->([k, i, m]) {i=3, j=12, k=6, l=4, m=8} need_replication={j, k, l, m}>
func.func @all_to_all_1(%a: tensor<12x3x4xf32>) -> (tensor<6x3x8xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<12x3x4xf32>) -> (tensor<6x3x8xf32>)
  return %r : tensor<6x3x8xf32>
}

// CHECK-LABEL: func.func @all_to_all_2(
// CHECK: #sdy.op_sharding_rule<([i])->([j]) {i=2, j=2} need_replication={i, j}>
func.func @all_to_all_2(%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %r = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> (tensor<2xf32>)
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @collective_permute_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=24, j=5}>
func.func @collective_permute_1(%a: tensor<24x5xf32>) -> (tensor<24x5xf32>) {
  %r = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<24x5xf32>) -> (tensor<24x5xf32>)
  return %r : tensor<24x5xf32>
}

// CHECK-LABEL: func.func @collective_permute_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=6, j=3, k=8}>
func.func @collective_permute_2(%a: tensor<6x3x8xf32>) -> (tensor<6x3x8xf32>) {
  %r = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<6x3x8xf32>) -> (tensor<6x3x8xf32>)
  return %r : tensor<6x3x8xf32>
}

// CHECK-LABEL: func.func @collective_broadcast_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=6, j=16, k=64}>
func.func @collective_broadcast_1(%a: tensor<6x16x64xf32>) -> (tensor<6x16x64xf32>) {
  %r = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<6x16x64xf32>) -> (tensor<6x16x64xf32>)
  return %r : tensor<6x16x64xf32>
}

// CHECK-LABEL: func.func @collective_broadcast_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=1, j=3, k=16, l=8}>
func.func @collective_broadcast_2(%a: tensor<1x3x16x8xf32>) -> (tensor<1x3x16x8xf32>) {
  %r = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1x3x16x8xf32>) -> (tensor<1x3x16x8xf32>)
  return %r : tensor<1x3x16x8xf32>
}
