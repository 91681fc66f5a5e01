// Operations that newer ones supersede.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @products(
func.func @products(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>, %v: tensor<8xf32>, %d: tensor<?x8xf32>) {
  // CHECK: stablehlo.dot %arg0, %arg1, precision = [HIGH, DEFAULT] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %0 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // CHECK: stablehlo.dot %arg2, %arg2 : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %1 = stablehlo.dot %v, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  // CHECK: stablehlo.dot %arg3, %arg1 : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  %2 = stablehlo.dot %d, %y : (tensor<?x8xf32>, tensor<8x5xf32>) -> tensor<?x5xf32>
  // CHECK: stablehlo.einsum %arg0, %arg1, config = "ab,bc->ca" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<5x4xf32>
  %3 = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<5x4xf32>
  // CHECK: stablehlo.einsum %arg0, %arg1, config = "...b,bc->...c" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %4 = stablehlo.einsum %x, %y, config = "...b,bc->...c" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  // CHECK: stablehlo.unary_einsum %arg0, config = "ab->b" : (tensor<4x8xf32>) -> tensor<8xf32>
  %5 = stablehlo.unary_einsum %x, config = "ab->b" : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<4x8xf32>, %i: tensor<4x3xi32>, %a: tensor<f32>, %s: tensor<2xi64>) {
  // CHECK: stablehlo.broadcast %arg0, sizes = [2, 3] : (tensor<4x8xf32>) -> tensor<2x3x4x8xf32>
  %0 = stablehlo.broadcast %x, sizes = [2, 3] : (tensor<4x8xf32>) -> tensor<2x3x4x8xf32>
  // CHECK: "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 1 : i64, dim = -1 : i64}> : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  %1 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 1 : i64, dim = -1 : i64}> : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  // CHECK: "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.rng %arg2, %arg2, %arg3, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %3 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: stablehlo.rng %arg2, %arg2, %arg3, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}
