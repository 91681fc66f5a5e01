// Sorting: attributes that are absent, several inputs.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @sort(
func.func @sort(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: "stablehlo.sort"(%{{.*}}) ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
  // CHECK-NEXT: stablehlo.compare LT, %[[A]], %[[B]]
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = -2 : i64, is_stable = true}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %[[J:.*]]: tensor<i32>, %[[K:.*]]: tensor<i32>):
  // CHECK-NEXT: stablehlo.compare GT, %[[J]], %[[K]]
  // CHECK: }) {x = 1 : i8} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  %1:2 = "stablehlo.sort"(%x, %i) <{dimension = -2 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
    %p = stablehlo.compare GT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {x = 1 : i8} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  return
}
