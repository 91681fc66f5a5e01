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

// Two panels, the second one filled up, in a loop with one factorization. Beside each panel stands the identity, which
// becomes the inverse of its factor; the rows to the right of it, corrected once, are rows of the factor; the rest loses
// their product. The upper triangle is read as the transposed one.
// CHECK-LABEL: @panels
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1] : (tensor<1x200x200xf32>)
// CHECK: stablehlo.pad {{.*}}high = [0, 56, 56]
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x256x256xf32>
// CHECK: %[[ROWS:.*]] = stablehlo.dynamic_slice %{{.*}}, sizes = [1, 128, 256]
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x128x256xf32>
// CHECK: %[[FACTOR:.*]] = stablehlo.slice %{{.*}} [0:1, 0:128, 0:128]
// CHECK: %[[INVERSE:.*]] = stablehlo.slice %{{.*}} [0:1, 0:128, 128:256]
// CHECK: %[[X:.*]] = stablehlo.dot_general %[[INVERSE]], %[[ROWS]], batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST]
// CHECK: stablehlo.dot_general %[[FACTOR]], %[[X]], batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST]
// CHECK: stablehlo.dot_general %[[INVERSE]], %{{.*}}, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST]
// CHECK: %[[RIGHT:.*]] = stablehlo.select
// CHECK: stablehlo.dot_general %[[RIGHT]], %[[RIGHT]], batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<1x128x256xf32>, tensor<1x128x256xf32>) -> tensor<1x256x256xf32>
// CHECK: stablehlo.dynamic_update_slice %[[RIGHT]], %[[FACTOR]]
// CHECK-NOT: stablehlo.while
// CHECK-NOT: stablehlo.dot_general
// CHECK: return
func.func @panels(%x: tensor<200x200xbf16>) -> tensor<200x200xbf16> {
  %r = stablehlo.cholesky %x : tensor<200x200xbf16>
  return %r : tensor<200x200xbf16>
}

// -----

// Equations are divided by their diagonal. Three panels are inverted at once, the last one filled up. x A = b of a lower
// A goes from the last unknown to the first, in a loop; each panel's x is corrected once.
// CHECK-LABEL: @solve
// CHECK: stablehlo.divide %{{.*}} : tensor<1x300x300xf32>
// CHECK: stablehlo.divide %{{.*}} : tensor<1x300x7xf32>
// CHECK: stablehlo.pad {{.*}}high = [0, 84, 84]
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<3x128x128xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x384x7xf32>
// CHECK-COUNT-3: stablehlo.dot_general {{.*}} -> tensor<1x128x7xf32>
// CHECK: stablehlo.dot_general {{.*}} -> tensor<1x384x7xf32>
// CHECK: stablehlo.dynamic_update_slice {{.*}} : (tensor<1x384x7xf32>, tensor<1x128x7xf32>,
// CHECK-NOT: stablehlo.dot_general
func.func @solve(%a: tensor<300x300xf32>, %b: tensor<7x300xf32>) -> tensor<7x300xf32> {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<300x300xf32>, tensor<7x300xf32>) -> tensor<7x300xf32>
  return %r : tensor<7x300xf32>
}

// -----

// More than four panels are solved in two halves.
// CHECK-LABEL: @halves
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<8x128x128xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x512x7xf32>
// CHECK: stablehlo.dot_general {{.*}} : (tensor<1x512x512xf32>, tensor<1x512x7xf32>) -> tensor<1x512x7xf32>
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x512x7xf32>
// CHECK-NOT: stablehlo.while
func.func @halves(%a: tensor<1024x1024xf32>, %b: tensor<1024x7xf32>) -> tensor<1024x7xf32> {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<1024x1024xf32>, tensor<1024x7xf32>) -> tensor<1024x7xf32>
  return %r : tensor<1024x7xf32>
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
