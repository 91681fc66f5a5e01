// RUN: %systole-opt %s --systole-expand-linear-algebra --split-input-file | FileCheck %s

// Row after row of what is left becomes one of the transposed factor. No factor has a diagonal that
// is not positive.
// CHECK-LABEL: @factor
// CHECK: %[[A:.*]] = stablehlo.select %{{.*}}, %arg0, %{{.*}} : tensor<2x5x5xi1>, tensor<2x5x5xf32>
// CHECK: stablehlo.while({{.*}} = %[[A]]) : tensor<i32>, tensor<2x5x5xf32>
// CHECK: stablehlo.constant dense<5> : tensor<i32>
// CHECK: do
// CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [2, 1, 5]
// CHECK: stablehlo.sqrt %{{.*}} : tensor<2xf32>
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.compare GT, %{{.*}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
// CHECK: %[[NAN:.*]] = stablehlo.constant dense<0x7FC00000> : tensor<2x5x5xf32>
// CHECK: stablehlo.select %{{.*}}, %{{.*}}, %[[NAN]]
func.func @factor(%x: tensor<2x5x5xf32>) -> tensor<2x5x5xf32> {
  %r = stablehlo.cholesky %x, lower = true : tensor<2x5x5xf32>
  return %r : tensor<2x5x5xf32>
}

// -----

// Two panels: the first factor, the rows below it by substitution, the product that the second
// loses, its factor. The upper triangle is read as the transposed one.
// CHECK-LABEL: @panels
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1] : (tensor<1x200x200xf32>)
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x128x128xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x128x72xf32>
// CHECK: stablehlo.dot_general %[[L:.*]], %[[L]], batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<1x72x128xf32>, tensor<1x72x128xf32>) -> tensor<1x72x72xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x72x72xf32>
// CHECK-NOT: stablehlo.while
// CHECK: return
func.func @panels(%x: tensor<200x200xbf16>) -> tensor<200x200xbf16> {
  %r = stablehlo.cholesky %x : tensor<200x200xbf16>
  return %r : tensor<200x200xbf16>
}

// -----

// Equations are divided by their diagonal. Three panels are inverted at once, the last one filled up. x A = b of a lower A goes from the last
// unknown to the first; each panel's x is corrected once.
// CHECK-LABEL: @solve
// CHECK: stablehlo.divide %{{.*}} : tensor<1x300x300xf32>
// CHECK: stablehlo.pad {{.*}}high = [0, 84, 84]
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<3x128x128xf32>
// CHECK-NOT: stablehlo.while
// CHECK: stablehlo.divide %{{.*}} : tensor<1x7x300xf32>
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:7, 0:128]
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:7, 128:300]
// CHECK-COUNT-3: stablehlo.dot_general {{.*}} -> tensor<1x7x44xf32>
// CHECK-COUNT-8: stablehlo.dot_general {{.*}} -> tensor<1x7x128xf32>
// CHECK-NOT: stablehlo.dot_general
func.func @solve(%a: tensor<300x300xf32>, %b: tensor<7x300xf32>) -> tensor<7x300xf32> {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<300x300xf32>, tensor<7x300xf32>) -> tensor<7x300xf32>
  return %r : tensor<7x300xf32>
}

// -----

// Operations on empty matrices are removed.
// CHECK-LABEL: @nothing
// CHECK-NOT: stablehlo.while
// CHECK-NOT: stablehlo.dot_general
// CHECK: return %arg0, %{{.*}} : tensor<3x0x0xf32>, tensor<4x0xf32>
func.func @nothing(%x: tensor<3x0x0xf32>, %a: tensor<4x4xf32>, %b: tensor<4x0xf32>) -> (tensor<3x0x0xf32>, tensor<4x0xf32>) {
  %0 = stablehlo.cholesky %x, lower = true : tensor<3x0x0xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<4x4xf32>, tensor<4x0xf32>) -> tensor<4x0xf32>
  return %0, %1 : tensor<3x0x0xf32>, tensor<4x0xf32>
}
