// Factors and solutions: triangles, sides, batches.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @factor(
// GENERIC-LABEL: sym_name = "factor"
func.func @factor(%x: tensor<3x3xf32>, %y: tensor<2x?x?xcomplex<f64>>) {
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<3x3xf32>
  // GENERIC: "stablehlo.cholesky"(%{{.*}}) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %0 = stablehlo.cholesky %x, lower = true : tensor<3x3xf32>
  // CHECK: stablehlo.cholesky %{{.*}} {x = 1 : i8} : tensor<3x3xf32>
  %1 = stablehlo.cholesky %x {x = 1 : i8} : tensor<3x3xf32>
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<2x?x?xcomplex<f64>>
  %2 = "stablehlo.cholesky"(%y) {lower = true} : (tensor<2x?x?xcomplex<f64>>) -> tensor<2x?x?xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @solve(
func.func @solve(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>, %c: tensor<2x5x3xf32>, %d: tensor<2x0x0xf32>, %e: tensor<2x0x4xf32>) {
  // CHECK: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}>
  %1 = "stablehlo.triangular_solve"(%a, %c) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x3x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  // CHECK: tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  %2 = "stablehlo.triangular_solve"(%d, %e) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x0x0xf32>, tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  return
}
