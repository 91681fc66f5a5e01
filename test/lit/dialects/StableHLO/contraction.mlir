// Contractions: pairing of dimensions, precision, algorithm.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) {
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0], precision = [HIGHEST] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0], precision = [] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 6, allow_imprecise_accumulation = false> : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> {mhlo.note = "kept"} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f8E5M2, rhs_precision_type = f8E5M2, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true> {mhlo.note = "kept"} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [] x [] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x16x16x4xf32>
  %6 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x16x16x4xf32>
  return
}

// CHECK-LABEL: func.func @batched(
func.func @batched(%x: tensor<2x8x16xf32>, %y: tensor<16x4x2xf32>, %v: tensor<16xf32>, %e: tensor<0xf32>) {
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, batching_dims = [0] x [2], contracting_dims = [2] x [0] : (tensor<2x8x16xf32>, tensor<16x4x2xf32>) -> tensor<2x8x4xf32>
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [2] x [0] : (tensor<2x8x16xf32>, tensor<16x4x2xf32>) -> tensor<2x8x4xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.dot_general %x, %x, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8xf32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  %2 = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [0] x [0] : (tensor<0xf32>, tensor<0xf32>) -> tensor<f32>
  %3 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] : (tensor<0xf32>, tensor<0xf32>) -> tensor<f32>
  return
}

// The result may be of another width, and so may the operands.
// CHECK-LABEL: func.func @element_types(
func.func @element_types(%x: tensor<8x16xi8>, %y: tensor<16x4xi8>, %f: tensor<4xf8E4M3FN>, %g: tensor<4xf8E5M2>,
    %p: tensor<4xi1>, %z: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0] : (tensor<8x16xi8>, tensor<16x4xi8>) -> tensor<8x4xi32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xi8>, tensor<16x4xi8>) -> tensor<8x4xi32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [0] x [0] : (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) -> tensor<f32>
  %1 = stablehlo.dot_general %f, %g, contracting_dims = [0] x [0] : (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) -> tensor<f32>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [0] x [0] : (tensor<4xi1>, tensor<4xi1>) -> tensor<i1>
  %2 = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] : (tensor<4xi1>, tensor<4xi1>) -> tensor<i1>
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [0] x [0] : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<complex<f64>>
  %3 = stablehlo.dot_general %z, %z, contracting_dims = [0] x [0] : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<complex<f64>>
  return
}

// The dimension numbers as an attribute, in any order and without empty lists.
// CHECK-LABEL: func.func @attribute(
func.func @attribute(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH] :
  %0 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<
      rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [2],
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [0]>,
    precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}>
    : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [] x [] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x16x2x16x4xf32>
  %1 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<>}
    : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x16x2x16x4xf32>
  return
}
