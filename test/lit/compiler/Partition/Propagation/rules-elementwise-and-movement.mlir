// Sharding rules, which are Shardy's: elementwise and movement.
// RUN: systole-opt --systole-populate-sharding-rules %s | FileCheck %s

// CHECK-LABEL: func.func @tanh_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=5, j=4, k=7}>
func.func @tanh_1(%a: tensor<5x4x7xf32>) -> (tensor<5x4x7xf32>) {
  %r = "stablehlo.tanh"(%a) : (tensor<5x4x7xf32>) -> (tensor<5x4x7xf32>)
  return %r : tensor<5x4x7xf32>
}

// CHECK-LABEL: func.func @tanh_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=8, j=24, k=1, l=12}>
func.func @tanh_2(%a: tensor<8x24x1x12xf32>) -> (tensor<8x24x1x12xf32>) {
  %r = "stablehlo.tanh"(%a) : (tensor<8x24x1x12xf32>) -> (tensor<8x24x1x12xf32>)
  return %r : tensor<8x24x1x12xf32>
}

// CHECK-LABEL: func.func @select_1(
// CHECK: #sdy.op_sharding_rule<([], [i, j, k], [i, j, k])->([i, j, k]) {i=3, j=4, k=3}>
func.func @select_1(%a: tensor<i1>, %b: tensor<3x4x3xf32>, %c: tensor<3x4x3xf32>) -> (tensor<3x4x3xf32>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<i1>, tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> (tensor<3x4x3xf32>)
  return %r : tensor<3x4x3xf32>
}

// CHECK-LABEL: func.func @select_2(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=64, j=3}>
func.func @select_2(%a: tensor<64x3xi1>, %b: tensor<64x3xf32>, %c: tensor<64x3xf32>) -> (tensor<64x3xf32>) {
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<64x3xi1>, tensor<64x3xf32>, tensor<64x3xf32>) -> (tensor<64x3xf32>)
  return %r : tensor<64x3xf32>
}

// CHECK-LABEL: func.func @clamp_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [])->([i, j]) {i=12, j=2}>
func.func @clamp_1(%a: tensor<12x2xf32>, %b: tensor<12x2xf32>, %c: tensor<f32>) -> (tensor<12x2xf32>) {
  %r = "stablehlo.clamp"(%a, %b, %c) : (tensor<12x2xf32>, tensor<12x2xf32>, tensor<f32>) -> (tensor<12x2xf32>)
  return %r : tensor<12x2xf32>
}

// CHECK-LABEL: func.func @clamp_2(
// CHECK: #sdy.op_sharding_rule<([], [i, j, k], [])->([i, j, k]) {i=30, j=7, k=2}>
func.func @clamp_2(%a: tensor<f32>, %b: tensor<30x7x2xf32>, %c: tensor<f32>) -> (tensor<30x7x2xf32>) {
  %r = "stablehlo.clamp"(%a, %b, %c) : (tensor<f32>, tensor<30x7x2xf32>, tensor<f32>) -> (tensor<30x7x2xf32>)
  return %r : tensor<30x7x2xf32>
}

// CHECK-LABEL: func.func @bitcast_convert_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=24, j=16, k=2} need_replication={k}>
func.func @bitcast_convert_1(%a: tensor<24x16xi32>) -> (tensor<24x16x2xi16>) {
  %r = "stablehlo.bitcast_convert"(%a) : (tensor<24x16xi32>) -> (tensor<24x16x2xi16>)
  return %r : tensor<24x16x2xi16>
}

// CHECK-LABEL: func.func @bitcast_convert_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l, m])->([i, j, k, l]) {i=6, j=1, k=4, l=16, m=2} need_replication={m}>
func.func @bitcast_convert_2(%a: tensor<6x1x4x16x2xi16>) -> (tensor<6x1x4x16xi32>) {
  %r = "stablehlo.bitcast_convert"(%a) : (tensor<6x1x4x16x2xi16>) -> (tensor<6x1x4x16xi32>)
  return %r : tensor<6x1x4x16xi32>
}

// CHECK-LABEL: func.func @broadcast_in_dim_1(
// CHECK: #sdy.op_sharding_rule<([j])->([i, j, k, l]) {i=3, j=64, k=64, l=6}>
func.func @broadcast_in_dim_1(%a: tensor<64xf32>) -> (tensor<3x64x64x6xf32>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> (tensor<3x64x64x6xf32>)
  return %r : tensor<3x64x64x6xf32>
}

// CHECK-LABEL: func.func @broadcast_in_dim_2(
// CHECK: #sdy.op_sharding_rule<([j, l])->([i, j, k, l]) {i=2, j=4, k=30, l=64}>
func.func @broadcast_in_dim_2(%a: tensor<4x64xf32>) -> (tensor<2x4x30x64xf32>) {
  %r = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<4x64xf32>) -> (tensor<2x4x30x64xf32>)
  return %r : tensor<2x4x30x64xf32>
}

// CHECK-LABEL: func.func @transpose_1(
// CHECK: #sdy.op_sharding_rule<([i, k, j, l])->([i, j, k, l]) {i=1, j=16, k=6, l=16}>
func.func @transpose_1(%a: tensor<1x6x16x16xf32>) -> (tensor<1x16x6x16xf32>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x6x16x16xf32>) -> (tensor<1x16x6x16xf32>)
  return %r : tensor<1x16x6x16xf32>
}

// CHECK-LABEL: func.func @transpose_2(
// CHECK: #sdy.op_sharding_rule<([k, j, i])->([i, j, k]) {i=1, j=12, k=5}>
func.func @transpose_2(%a: tensor<5x12x1xf32>) -> (tensor<1x12x5xf32>) {
  %r = "stablehlo.transpose"(%a) <{permutation = array<i64: 2, 1, 0>}> : (tensor<5x12x1xf32>) -> (tensor<1x12x5xf32>)
  return %r : tensor<1x12x5xf32>
}

// CHECK-LABEL: func.func @reverse_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=12, j=24, k=16} permutation={k}>
func.func @reverse_1(%a: tensor<12x24x16xf32>) -> (tensor<12x24x16xf32>) {
  %r = "stablehlo.reverse"(%a) <{dimensions = array<i64: 2>}> : (tensor<12x24x16xf32>) -> (tensor<12x24x16xf32>)
  return %r : tensor<12x24x16xf32>
}

// CHECK-LABEL: func.func @reverse_2(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=8}>
func.func @reverse_2(%a: tensor<1x8xf32>) -> (tensor<1x8xf32>) {
  %r = "stablehlo.reverse"(%a) <{dimensions = array<i64>}> : (tensor<1x8xf32>) -> (tensor<1x8xf32>)
  return %r : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @slice_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={i, j}>
func.func @slice_1(%a: tensor<8x4xf32>) -> (tensor<3x2xf32>) {
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 2, 2>, limit_indices = array<i64: 5, 4>, strides = array<i64: 1, 1>}> : (tensor<8x4xf32>) -> (tensor<3x2xf32>)
  return %r : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @slice_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=5, j=6, k=64} permutation={i, j, k}>
func.func @slice_2(%a: tensor<5x6x64xf32>) -> (tensor<1x4x0xf32>) {
  %r = "stablehlo.slice"(%a) <{start_indices = array<i64: 4, 2, 15>, limit_indices = array<i64: 5, 6, 15>, strides = array<i64: 1, 1, 1>}> : (tensor<5x6x64xf32>) -> (tensor<1x4x0xf32>)
  return %r : tensor<1x4x0xf32>
}

// CHECK-LABEL: func.func @pad_1(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=4, j=4, k=5} permutation={i, j, k}>
func.func @pad_1(%a: tensor<4x4x5xf32>, %b: tensor<f32>) -> (tensor<5x5x8xf32>) {
  %r = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0, 0, 3>, edge_padding_high = array<i64: 1, 1, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<4x4x5xf32>, tensor<f32>) -> (tensor<5x5x8xf32>)
  return %r : tensor<5x5x8xf32>
}

// CHECK-LABEL: func.func @pad_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=30, j=8, k=12} permutation={j, k}>
func.func @pad_2(%a: tensor<30x8x12xf32>, %b: tensor<f32>) -> (tensor<30x11x27xf32>) {
  %r = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 0, 3, 1>, edge_padding_high = array<i64: 0, 0, 3>, interior_padding = array<i64: 0, 0, 1>}> : (tensor<30x8x12xf32>, tensor<f32>) -> (tensor<30x11x27xf32>)
  return %r : tensor<30x11x27xf32>
}

// CHECK-LABEL: func.func @concatenate_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=47, j=30} need_replication={i}>
func.func @concatenate_1(%a: tensor<12x30xf32>, %b: tensor<30x30xf32>, %c: tensor<5x30xf32>) -> (tensor<47x30xf32>) {
  %r = "stablehlo.concatenate"(%a, %b, %c) <{dimension = 0 : i64}> : (tensor<12x30xf32>, tensor<30x30xf32>, tensor<5x30xf32>) -> (tensor<47x30xf32>)
  return %r : tensor<47x30xf32>
}

// CHECK-LABEL: func.func @concatenate_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=64, j=8, k=16, l=24} need_replication={l}>
func.func @concatenate_2(%a: tensor<64x8x16x24xf32>) -> (tensor<64x8x16x24xf32>) {
  %r = "stablehlo.concatenate"(%a) <{dimension = 3 : i64}> : (tensor<64x8x16x24xf32>) -> (tensor<64x8x16x24xf32>)
  return %r : tensor<64x8x16x24xf32>
}

// CHECK-LABEL: func.func @concatenate_3(
// CHECK: #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k]) {i=10, j=2, k=2} need_replication={i}>
func.func @concatenate_3(%a: tensor<7x2x2xf32>, %b: tensor<3x2x2xf32>) -> (tensor<10x2x2xf32>) {
  %r = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<7x2x2xf32>, tensor<3x2x2xf32>) -> (tensor<10x2x2xf32>)
  return %r : tensor<10x2x2xf32>
}

// CHECK-LABEL: func.func @concatenate_4(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l], [i, j, k, l])->([i, j, k, l]) {i=129, j=64, k=2, l=16} need_replication={i}>
func.func @concatenate_4(%a: tensor<64x64x2x16xf32>, %b: tensor<64x64x2x16xf32>, %c: tensor<1x64x2x16xf32>) -> (tensor<129x64x2x16xf32>) {
  %r = "stablehlo.concatenate"(%a, %b, %c) <{dimension = 0 : i64}> : (tensor<64x64x2x16xf32>, tensor<64x64x2x16xf32>, tensor<1x64x2x16xf32>) -> (tensor<129x64x2x16xf32>)
  return %r : tensor<129x64x2x16xf32>
}

// CHECK-LABEL: func.func @reshape_1(
// CHECK: #sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=2, j=6, k=2}>
func.func @reshape_1(%a: tensor<12x2xf32>) -> (tensor<2x12xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<12x2xf32>) -> (tensor<2x12xf32>)
  return %r : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @reshape_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=6, j=2, k=5}>
func.func @reshape_2(%a: tensor<6x2x5xf32>) -> (tensor<6x2x5xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<6x2x5xf32>) -> (tensor<6x2x5xf32>)
  return %r : tensor<6x2x5xf32>
}

// CHECK-LABEL: func.func @reshape_3(
// CHECK: #sdy.op_sharding_rule<([i, j])->([j]) {i=1, j=4}>
func.func @reshape_3(%a: tensor<1x4xf32>) -> (tensor<4xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<1x4xf32>) -> (tensor<4xf32>)
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @reshape_4(
// CHECK: #sdy.op_sharding_rule<([i, jk, l])->([ij, kl]) {i=5, j=4, k=3, l=4}>
func.func @reshape_4(%a: tensor<5x12x4xf32>) -> (tensor<20x12xf32>) {
  %r = "stablehlo.reshape"(%a) : (tensor<5x12x4xf32>) -> (tensor<20x12xf32>)
  return %r : tensor<20x12xf32>
}
