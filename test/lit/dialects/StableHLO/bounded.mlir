// Types with largest sizes of dynamic dimensions.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// Sizes within the bounds, and bounds that are left out, are compatible.
// CHECK-LABEL: func.func @compatible(
func.func @compatible(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %y: tensor<?x2xf32>, %z: tensor<3x2xf32>) {
  // CHECK: stablehlo.add %arg0, %arg1 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  %0 = stablehlo.add %x, %y : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  // CHECK: stablehlo.add %arg0, %arg2 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.add %x, %z : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// Results have bounds of their own, or none.
// CHECK-LABEL: func.func @results(
func.func @results(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %i: tensor<i32>, %j: tensor<5x1xi32>) {
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 4>>
  // CHECK: stablehlo.reshape %arg0 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.reshape %x : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  // CHECK: stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?x2xf32, #stablehlo.bounds<?, 4, ?>>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<3x?x2xf32, #stablehlo.bounds<?, 4, ?>>
  // CHECK: stablehlo.slice %arg0 [0:2, 0:2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x2xf32>
  %3 = stablehlo.slice %x [0:2, 0:2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x2xf32>
  // CHECK: stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<8, ?>>
  %4 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<8, ?>>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %5 = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 2] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  // CHECK: (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<5x1xi32>) -> tensor<5x2xf32>
  %6 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<5x1xi32>) -> tensor<5x2xf32>
  return
}

// The former name of the encoding.
// CHECK-LABEL: func.func @former_name(
// CHECK-SAME: %arg0: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>>
func.func @former_name(%x: tensor<?x2xf32, #stablehlo.type_extensions<bounds = [4, ?]>>) -> tensor<?x2xf32, #stablehlo.bounds<4, ?>> {
  return %x : tensor<?x2xf32, #stablehlo.type_extensions<bounds = [4, ?]>>
}
