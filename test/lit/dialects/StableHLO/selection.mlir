// Comparison and choice.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @compare(
func.func @compare(%f: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui8>,
    %b: tensor<4xi1>, %z: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.compare EQ, %{{[^ ,)]+}}, %{{[^ ,)]+}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %EQ = stablehlo.compare EQ, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare NE, %{{[^ ,)]+}}, %{{[^ ,)]+}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %NE = stablehlo.compare NE, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare GE, %{{[^ ,)]+}}, %{{[^ ,)]+}}, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %GE = stablehlo.compare GE, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare GT, %{{[^ ,)]+}}, %{{[^ ,)]+}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %GT = stablehlo.compare GT, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare LE, %{{[^ ,)]+}}, %{{[^ ,)]+}}, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %LE = stablehlo.compare LE, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare LT, %{{[^ ,)]+}}, %{{[^ ,)]+}}, TOTALORDER : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %total = stablehlo.compare LT, %i, %i, TOTALORDER : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  // CHECK: stablehlo.compare LT, %{{[^ ,)]+}}, %{{[^ ,)]+}}, NOTYPE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %LT = stablehlo.compare LT, %f, %f, NOTYPE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.compare LT, %{{[^ ,)]+}}, %{{[^ ,)]+}}, SIGNED : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  // CHECK: stablehlo.compare GE, %{{[^ ,)]+}}, %{{[^ ,)]+}}, UNSIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  %2 = stablehlo.compare GE, %u, %u, UNSIGNED : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  // CHECK: stablehlo.compare NE, %{{[^ ,)]+}}, %{{[^ ,)]+}}, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %3 = stablehlo.compare NE, %b, %b, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  // CHECK: stablehlo.compare EQ, %{{[^ ,)]+}}, %{{[^ ,)]+}}, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %4 = stablehlo.compare EQ, %z, %z, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  // CHECK: stablehlo.compare EQ, %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %5 = stablehlo.compare EQ, %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  return
}

// As an attribute on its own, an enumeration's value has the dialect's name.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: mhlo.a = #stablehlo<comparison_direction GT>
// CHECK-SAME: mhlo.b = #stablehlo<comparison_type SIGNED>
func.func @attributes(%i: tensor<i32>) attributes {
    mhlo.a = #stablehlo<comparison_direction GT>,
    mhlo.b = #stablehlo<comparison_type SIGNED>} {
  return
}

// The order of complex numbers is lexicographic.
// CHECK-LABEL: func.func @complex_order(
func.func @complex_order(%x: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %0 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  // CHECK: stablehlo.compare GE, %arg0, %arg0 : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %1 = stablehlo.compare GE, %x, %x : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @select(
func.func @select(%p: tensor<4xi1>, %s: tensor<i1>, %x: tensor<4xf32>, %y: tensor<?xf32>) {
  // CHECK: stablehlo.select %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xi1>, tensor<4xf32>
  %0 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  // CHECK: stablehlo.select %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<i1>, tensor<4xf32>
  %1 = stablehlo.select %s, %x, %x : tensor<i1>, tensor<4xf32>
  // CHECK: stablehlo.select %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %2 = stablehlo.select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @clamp(
func.func @clamp(%s: tensor<f32>, %x: tensor<4xf32>) {
  // CHECK: stablehlo.clamp %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : tensor<4xf32>
  %0 = stablehlo.clamp %x, %x, %x : tensor<4xf32>
  // CHECK: stablehlo.clamp %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.clamp %{{[^ ,)]+}}, %{{[^ ,)]+}}, %{{[^ ,)]+}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.clamp %x, %x, %s : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
