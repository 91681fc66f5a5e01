// Sizes that are values.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%d: tensor<?x8xf32>, %s: tensor<2xi32>, %v: tensor<f32>, %i: tensor<3xi32>, %n: tensor<i32>) {
  // CHECK: stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %d, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %1 = stablehlo.dynamic_reshape %d, %s : (tensor<?x8xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  // CHECK: stablehlo.dynamic_iota %arg1, dim = 1 : (tensor<2xi32>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_pad %arg0, %arg2, %arg1, %arg1, %arg1 : (tensor<?x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %3 = stablehlo.dynamic_pad %d, %v, %s, %s, %s : (tensor<?x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %4 = stablehlo.real_dynamic_slice %d, %s, %s, %s : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %5 = stablehlo.get_dimension_size %d, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  // CHECK: stablehlo.set_dimension_size %arg0, %arg4, dim = 1 : (tensor<?x8xf32>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 8>>
  %6 = stablehlo.set_dimension_size %d, %n, dim = 1 : (tensor<?x8xf32>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<?, 8>>
  // CHECK: "stablehlo.dynamic_gather"(%arg0, %arg3, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<?x8xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  %7 = "stablehlo.dynamic_gather"(%d, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<?x8xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// CHECK-LABEL: func.func @convolution(
func.func @convolution(%x: tensor<?x8x8x3xf32>, %w: tensor<3x3x3x4xf32>, %pad: tensor<2x2xi32>) {
  // CHECK: "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}> : (tensor<?x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<?x?x?x4xf32>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %pad) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 1>}> : (tensor<?x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi32>) -> tensor<?x?x?x4xf32>
  return
}

// Sizes and amounts may have type `index`.
// CHECK-LABEL: func.func @indices(
func.func @indices(%x: tensor<?xf32>, %v: tensor<f32>, %s: tensor<2xindex>, %n: tensor<1xindex>) {
  // CHECK: stablehlo.dynamic_reshape %arg0, %arg2 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_iota
  %2 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xindex>) -> tensor<?x?xi32>
  // CHECK: stablehlo.dynamic_pad
  %3 = stablehlo.dynamic_pad %x, %v, %n, %n, %n : (tensor<?xf32>, tensor<f32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  // CHECK: stablehlo.real_dynamic_slice
  %4 = stablehlo.real_dynamic_slice %x, %n, %n, %n : (tensor<?xf32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  // CHECK: stablehlo.rng
  %5 = stablehlo.rng %v, %v, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<?x?xf32>
  return
}
