// Loops and contractions as one operation, and constants.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @ragged_dot(
func.func @ragged_dot(%x: tensor<2x8x4xf32>, %y: tensor<2x3x4x5xf32>, %n: tensor<2x3xi32>) {
  // CHECK: "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>}> : (tensor<2x8x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3xi32>) -> tensor<2x8x5xf32>
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{
    precision_config = [#chlo<precision HIGH>, #chlo<precision DEFAULT>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2],
      lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>
  }> : (tensor<2x8x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3xi32>) -> tensor<2x8x5xf32>
  return
}

// CHECK-LABEL: func.func @scan(
func.func @scan(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  // CHECK: %[[R:.*]]:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 attributes {is_reverse = true} {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>):
  %y, %last = chlo.scan(%x) inits (%s) dimension=0 attributes {is_reverse = true} {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    %r = stablehlo.add %a, %c : tensor<8xf32>
    stablehlo.return %r, %r : tensor<8xf32>, tensor<8xf32>
  // CHECK: } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %t, %last : tensor<8x4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @counted(
func.func @counted(%s: tensor<i32>) -> tensor<5xi32> {
  // CHECK: chlo.scan() inits (%arg0) dimension=0 attributes {scan_dim_size = 5 : i64} {
  %y, %last = chlo.scan() inits (%s) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%c: tensor<i32>):
    %r = stablehlo.add %c, %c : tensor<i32>
    stablehlo.return %c, %r : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<5xi32>, tensor<i32>)
  return %y : tensor<5xi32>
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<4xf32>, %y: tensor<f32>, %z: tensor<4xcomplex<f32>>) {
  // CHECK: chlo.constant dense<1.000000e+00> : tensor<4xf32>
  %0 = chlo.constant dense<1.0> : tensor<4xf32>
  // CHECK: chlo._asin_acos_kernel %arg2 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %1 = chlo._asin_acos_kernel %z : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: chlo.broadcast_zeta %arg0, %arg1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = chlo.broadcast_zeta %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: chlo.broadcast_polygamma %arg0, %arg1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = chlo.broadcast_polygamma %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
