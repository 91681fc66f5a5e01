// RUN: %systole-opt %s --systole-narrow-doubles | FileCheck %s

// Rounded once, from f64 to bf16; of integers towards zero, at most the largest.
// CHECK-LABEL: @constants
// CHECK-NOT: f64
// CHECK-DAG: stablehlo.constant dense<1.007810e+00> : tensor<bf16>
// CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<bf16>) -> tensor<3xbf16>
// CHECK-DAG: stablehlo.constant dense<[127, -2, 0]> : tensor<3xi8>
func.func @constants() -> (tensor<3xbf16>, tensor<3xi8>) {
  %c = stablehlo.constant dense<1.00390625000001> : tensor<f64>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %n = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xbf16>
  %d = stablehlo.constant dense<[1.0e300, -2.5, 0x7FF8000000000000]> : tensor<3xf64>
  %i = stablehlo.convert %d : (tensor<3xf64>) -> tensor<3xi8>
  return %n, %i : tensor<3xbf16>, tensor<3xi8>
}

// An array that is computed with stays.
// CHECK-LABEL: @computed
// CHECK: stablehlo.convert %{{.*}} : (tensor<f64>) -> tensor<f32>
func.func @computed(%x: tensor<f64>) -> (tensor<f32>, tensor<f64>) {
  %y = stablehlo.convert %x : (tensor<f64>) -> tensor<f32>
  %c = stablehlo.constant dense<1.0> : tensor<f64>
  %z = stablehlo.add %x, %c : tensor<f64>
  return %y, %z : tensor<f32>, tensor<f64>
}

// Integers of more bits than f32 has are compared by the bits of their doubles.
// CHECK-LABEL: @compared
// CHECK-NOT: f64
// CHECK: %[[ORDER:.*]] = stablehlo.select %{{.*}} : tensor<3xi1>, tensor<3xi64>
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<i64>) -> tensor<3xi64>
// CHECK: stablehlo.compare GE, %[[ORDER]], %[[ALL]] : (tensor<3xi64>, tensor<3xi64>)
func.func @compared(%x: tensor<3xi64>) -> tensor<3xi1> {
  %c = stablehlo.constant dense<2.5> : tensor<f64>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %0 = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xf64>
  %1 = stablehlo.compare GE, %0, %b, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  return %1 : tensor<3xi1>
}
