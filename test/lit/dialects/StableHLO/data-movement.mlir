// Elements rearranged by positions known at compile time.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @broadcast_in_dim(
func.func @broadcast_in_dim(%s: tensor<f32>, %x: tensor<1x3xf32>, %e: tensor<0xi1>, %d: tensor<?xf32>) {
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,)]+}}, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,)]+}}, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x5xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,)]+}}, dims = [1] : (tensor<0xi1>) -> tensor<2x0xi1>
  %2 = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<0xi1>) -> tensor<2x0xi1>
  // CHECK: stablehlo.broadcast_in_dim %{{[^ ,)]+}}, dims = [0] : (tensor<?xf32>) -> tensor<7xf32>
  %3 = stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<?xf32>) -> tensor<7xf32>
  return
}

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<2x6xf32>, %s: tensor<1xi1>, %e: tensor<0x4294967296x4294967296xf32>) {
  // CHECK: stablehlo.reshape %{{[^ ,)]+}} : (tensor<2x6xf32>) -> tensor<3x1x4xf32>
  %0 = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x1x4xf32>
  // CHECK: stablehlo.reshape %{{[^ ,)]+}} : (tensor<1xi1>) -> tensor<i1>
  %1 = stablehlo.reshape %s : (tensor<1xi1>) -> tensor<i1>
  // CHECK: stablehlo.reshape %{{[^ ,)]+}} : (tensor<0x4294967296x4294967296xf32>) -> tensor<0xf32>
  %2 = stablehlo.reshape %e : (tensor<0x4294967296x4294967296xf32>) -> tensor<0xf32>
  return
}

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%x: tensor<2x3x?xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.transpose %{{[^ ,)]+}}, dims = [2, 0, 1] : (tensor<2x3x?xf32>) -> tensor<?x2x3xf32>
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x?xf32>) -> tensor<?x2x3xf32>
  // CHECK: stablehlo.transpose %{{[^ ,)]+}}, dims = [] : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.transpose %s, dims = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reverse(
func.func @reverse(%x: tensor<2x3xf32>) {
  // CHECK: stablehlo.reverse %{{[^ ,)]+}}, dims = [1, 0] : tensor<2x3xf32>
  %0 = stablehlo.reverse %x, dims = [1, 0] : tensor<2x3xf32>
  // CHECK: stablehlo.reverse %{{[^ ,)]+}}, dims = [] : tensor<2x3xf32>
  %1 = stablehlo.reverse %x, dims = [] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.slice %{{[^ ,)]+}} [1:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %0 = stablehlo.slice %x [1:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  // CHECK: stablehlo.slice %{{[^ ,)]+}} [0:4:3, 1:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.slice %x [0:4:3, 1:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.slice %{{[^ ,)]+}} [4:4, 0:8:9223372036854775807] : (tensor<4x8xf32>) -> tensor<0x1xf32>
  %2 = stablehlo.slice %x [4:4, 0:8:9223372036854775807] : (tensor<4x8xf32>) -> tensor<0x1xf32>
  // CHECK: stablehlo.slice %{{[^ ,)]+}} [] : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.slice %{{[^ ,)]+}} [1:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %4 = stablehlo.slice %x [1:3:1, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<2x3xf32>, %e: tensor<0xf32>, %z: tensor<f32>) {
  // CHECK: stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [1, 0], high = [1, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x7xf32>
  %0 = stablehlo.pad %x, %z, low = [1, 0], high = [1, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x7xf32>
  // CHECK: stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [-1, 0], high = [0, -3], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x0xf32>
  %1 = stablehlo.pad %x, %z, low = [-1, 0], high = [0, -3], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x0xf32>
  // CHECK: stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [2], high = [1], interior = [5] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.pad %e, %z, low = [2], high = [1], interior = [5] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  // CHECK: stablehlo.pad %{{[^ ,)]+}}, %{{[^ ,)]+}}, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.pad %z, %z, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @concatenate(
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>, %d: tensor<?x?xf32>) {
  // CHECK: stablehlo.concatenate %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}}, dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %0 = stablehlo.concatenate %x, %y, %x, dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: stablehlo.concatenate %{{[^ ,)]+}}, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.concatenate %x, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.concatenate %{{[^ ,)]+}}, %{{[^ ,)]+}}, dim = 0 : (tensor<?x?xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %2 = stablehlo.concatenate %d, %x, dim = 0 : (tensor<?x?xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}
