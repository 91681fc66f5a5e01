// Operations are computed in a wider type, and read each other's results without rounding.
// RUN: systole-opt --systole-raise-precision="operations=0" %s | FileCheck %s
// RUN: systole-opt --systole-raise-precision="operations=1,0" %s | FileCheck %s --check-prefix=BOTH
// RUN: systole-opt --systole-raise-precision="operations=2 type=f64" %s | FileCheck %s --check-prefix=PRODUCT
// RUN: systole-opt --systole-raise-precision="operations=2" %s | FileCheck %s --check-prefix=PRECISION

// CHECK: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
// CHECK: %[[S:.*]] = stablehlo.exponential %[[A]] : tensor<4x4xf32>
// CHECK: %[[R:.*]] = stablehlo.convert %[[S]] : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// CHECK: stablehlo.multiply %[[R]], %[[R]] : tensor<4x4xbf16>

// BOTH: %[[S:.*]] = stablehlo.exponential {{.*}} : tensor<4x4xf32>
// BOTH: %[[M:.*]] = stablehlo.multiply %[[S]], %[[S]] : tensor<4x4xf32>
// BOTH: %[[R:.*]] = stablehlo.convert %[[M]] : (tensor<4x4xf32>) -> tensor<4x4xbf16>
// BOTH: stablehlo.convert %[[R]] : (tensor<4x4xbf16>) -> tensor<4x4xf32>

// PRODUCT: stablehlo.dot_general {{.*}} -> tensor<4x4xf64>
// PRODUCT: stablehlo.convert {{.*}} : (tensor<4x4xf64>) -> tensor<4x4xf32>

// PRECISION: stablehlo.dot_general {{.*}} precision = [HIGHEST, HIGHEST] {{.*}} -> tensor<4x4xf32>
func.func @main(%x: tensor<4x4xbf16>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = stablehlo.exponential %x : tensor<4x4xbf16>
  %m = stablehlo.multiply %e, %e : tensor<4x4xbf16>
  %p = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %wide = stablehlo.convert %m : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  return %p, %wide : tensor<4x4xf32>, tensor<4x4xf32>
}
