// RUN: %systole-opt %s --systole-mark-single-pass=target=v3 | FileCheck %s

// Where a product of f32 asks for no precision it has that of the program, one pass of bf16 by itself.
// CHECK-LABEL: @default
// CHECK: stablehlo.dot_general {{.*}} {kernel.single_pass}
func.func @default(%x: tensor<128x512xf32>, %y: tensor<512x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// Three and six passes.
// CHECK-LABEL: @high
// CHECK-NOT: kernel.single_pass
// CHECK: return
func.func @high(%x: tensor<128x512xf32>, %y: tensor<512x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  return %0, %1 : tensor<128x128xf32>, tensor<128x128xf32>
}

// An algorithm says it as well: bf16 once, bf16 three times, f32.
// CHECK-LABEL: @algorithm
// CHECK: stablehlo.dot_general {{.*}}kernel.single_pass
// CHECK-NOT: kernel.single_pass
// CHECK: return
func.func @algorithm(%x: tensor<128x512xf32>, %y: tensor<512x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<128x512xf32>, tensor<512x128xf32>) -> tensor<128x128xf32>
  return %0, %1, %2 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
}

// bf16 has one pass in any case, f16 two: their types say so.
// CHECK-LABEL: @types
// CHECK-NOT: kernel.single_pass
// CHECK: return
func.func @types(%x: tensor<128x512xbf16>, %y: tensor<512x128xbf16>, %u: tensor<128x512xf16>, %v: tensor<512x128xf16>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<128x512xbf16>, tensor<512x128xbf16>) -> tensor<128x128xf32>
  %1 = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<128x512xf16>, tensor<512x128xf16>) -> tensor<128x128xf32>
  return %0, %1 : tensor<128x128xf32>, tensor<128x128xf32>
}
