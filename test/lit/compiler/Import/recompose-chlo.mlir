// RUN: %systole-opt %s --systole-recompose-chlo | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[ERF:.*]] = chlo.erf %arg0 : tensor<2x8xf32>
// CHECK: %[[TOP:.*]], %{{.*}} = chlo.top_k(%[[ERF]], k = 3)
// A top-k of the smallest elements, and other functions that CHLO does not have, remain calls.
// CHECK: stablehlo.custom_call @mhlo.topk
// CHECK: stablehlo.custom_call @mhlo.unknown
func.func @main(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1:2 = stablehlo.custom_call @mhlo.topk(%0) {mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %2:2 = stablehlo.custom_call @mhlo.topk(%0) {mhlo.attributes = {k = 3 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %3 = stablehlo.custom_call @mhlo.unknown(%x) : (tensor<2x8xf32>) -> tensor<f32>
  return %1#0, %2#0, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>
}
