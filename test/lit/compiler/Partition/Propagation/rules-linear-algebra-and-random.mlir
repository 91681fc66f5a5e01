// Sharding rules, which are Shardy's: linear algebra and random.
// RUN: systole-opt --systole-populate-sharding-rules %s | FileCheck %s

// CHECK-LABEL: func.func @cholesky_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=24, j=24} need_replication={i, j}>
func.func @cholesky_1(%a: tensor<24x24xf32>) -> (tensor<24x24xf32>) {
  %r = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<24x24xf32>) -> (tensor<24x24xf32>)
  return %r : tensor<24x24xf32>
}

// CHECK-LABEL: func.func @cholesky_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=1, j=6, k=6} need_replication={j, k}>
func.func @cholesky_2(%a: tensor<1x6x6xf32>) -> (tensor<1x6x6xf32>) {
  %r = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<1x6x6xf32>) -> (tensor<1x6x6xf32>)
  return %r : tensor<1x6x6xf32>
}

// CHECK-LABEL: func.func @triangular_solve_1(
// CHECK: #sdy.op_sharding_rule<([i, j, l, m], [i, j, k, l])->([i, j, k, m]) {i=8, j=1, k=30, l=4, m=4} need_replication={k, l, m}>
func.func @triangular_solve_1(%a: tensor<8x1x4x4xf32>, %b: tensor<8x1x30x4xf32>) -> (tensor<8x1x30x4xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<8x1x4x4xf32>, tensor<8x1x30x4xf32>) -> (tensor<8x1x30x4xf32>)
  return %r : tensor<8x1x30x4xf32>
}

// CHECK-LABEL: func.func @triangular_solve_2(
// CHECK: #sdy.op_sharding_rule<([j, k], [i, j])->([i, k]) {i=1, j=8, k=8} need_replication={i, j, k}>
func.func @triangular_solve_2(%a: tensor<8x8xf32>, %b: tensor<1x8xf32>) -> (tensor<1x8xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<8x8xf32>, tensor<1x8xf32>) -> (tensor<1x8xf32>)
  return %r : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @fft_1(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=4} need_replication={j}>
func.func @fft_1(%a: tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>) {
  %r = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>}> : (tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>)
  return %r : tensor<4x4xcomplex<f32>>
}

// CHECK-LABEL: func.func @fft_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=8, k=16, l=2} need_replication={l}>
func.func @fft_2(%a: tensor<2x8x16x2xcomplex<f32>>) -> (tensor<2x8x16x2xcomplex<f32>>) {
  %r = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2>}> : (tensor<2x8x16x2xcomplex<f32>>) -> (tensor<2x8x16x2xcomplex<f32>>)
  return %r : tensor<2x8x16x2xcomplex<f32>>
}

// CHECK-LABEL: func.func @rng_bit_generator_1(
// CHECK: #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=4, k=1} need_replication={i} blocked_propagation={i}>
func.func @rng_bit_generator_1(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<4x1xui32>) {
  %r:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x1xui32>)
  return %r#0, %r#1 : tensor<2xui64>, tensor<4x1xui32>
}

// CHECK-LABEL: func.func @rng_bit_generator_2(
// CHECK: #sdy.op_sharding_rule<([i])->([i], [j]) {i=2, j=30} need_replication={i} blocked_propagation={i}>
func.func @rng_bit_generator_2(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<30xui32>) {
  %r:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<30xui32>)
  return %r#0, %r#1 : tensor<2xui64>, tensor<30xui32>
}

// CHECK-LABEL: func.func @custom_call_1(
// CHECK: #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=7, j=24, k=12} need_replication={k} blocked_propagation={k}>
func.func @custom_call_1(%a: tensor<7x24xf32>, %b: tensor<7x24xi32>, %c: tensor<f32>, %d: tensor<i32>) -> (tensor<7x12xf32>, tensor<7x12xi32>) {
  %r:2 = "stablehlo.custom_call"(%a, %b, %c, %d) <{call_target_name = "ApproxTopK"}> : (tensor<7x24xf32>, tensor<7x24xi32>, tensor<f32>, tensor<i32>) -> (tensor<7x12xf32>, tensor<7x12xi32>)
  return %r#0, %r#1 : tensor<7x12xf32>, tensor<7x12xi32>
}

// CHECK-LABEL: func.func @custom_call_2(
// CHECK: #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=6, j=1, k=6, l=1} need_replication={j, k, l}>
func.func @custom_call_2(%a: tensor<6x1x6xf32>) -> (tensor<6x1x6xf32>, tensor<6x1xf32>) {
  %r:2 = "stablehlo.custom_call"(%a) <{call_target_name = "Qr"}> : (tensor<6x1x6xf32>) -> (tensor<6x1x6xf32>, tensor<6x1xf32>)
  return %r#0, %r#1 : tensor<6x1x6xf32>, tensor<6x1xf32>
}

// CHECK-LABEL: func.func @custom_call_3(
// CHECK: #sdy.op_sharding_rule<([i, j], [k])->([i, j]) {i=6, j=5, k=5} need_replication={i, j, k}>
func.func @custom_call_3(%a: tensor<6x5xf32>, %b: tensor<5xf32>) -> (tensor<6x5xf32>) {
  %r = "stablehlo.custom_call"(%a, %b) <{call_target_name = "ProductOfElementaryHouseholderReflectors"}> : (tensor<6x5xf32>, tensor<5xf32>) -> (tensor<6x5xf32>)
  return %r : tensor<6x5xf32>
}

// CHECK-LABEL: func.func @custom_call_4(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l], [], [])->([i, j, k, m], [i, j, k, m]) {i=24, j=16, k=24, l=8, m=4} need_replication={m} blocked_propagation={m}>
func.func @custom_call_4(%a: tensor<24x16x24x8xf32>, %b: tensor<24x16x24x8xi32>, %c: tensor<f32>, %d: tensor<i32>) -> (tensor<24x16x24x4xf32>, tensor<24x16x24x4xi32>) {
  %r:2 = "stablehlo.custom_call"(%a, %b, %c, %d) <{call_target_name = "ApproxTopK"}> : (tensor<24x16x24x8xf32>, tensor<24x16x24x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<24x16x24x4xf32>, tensor<24x16x24x4xi32>)
  return %r#0, %r#1 : tensor<24x16x24x4xf32>, tensor<24x16x24x4xi32>
}

// CHECK-LABEL: func.func @custom_call_5(
// CHECK: #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=3, j=1}>
func.func @custom_call_5(%a: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>) {
  %r:2 = "stablehlo.custom_call"(%a) <{call_target_name = "mhlo.topk"}> : (tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x1xi32>)
  return %r#0, %r#1 : tensor<3x1xf32>, tensor<3x1xi32>
}

// CHECK-LABEL: func.func @custom_call_6(
// CHECK: #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=16, j=64, k=4, l=24}>
func.func @custom_call_6(%a: tensor<16x64x4x24xf32>) -> (tensor<16x64x4x24xf32>) {
  %r = "stablehlo.custom_call"(%a) <{call_target_name = "MoveToDevice"}> : (tensor<16x64x4x24xf32>) -> (tensor<16x64x4x24xf32>)
  return %r : tensor<16x64x4x24xf32>
}
