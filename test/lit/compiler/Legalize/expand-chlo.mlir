// RUN: %systole-opt %s --systole-expand-chlo | FileCheck %s

// Narrow elements are widened for a formula, and its result is rounded once.
// CHECK-LABEL: @narrow
// CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK: %[[Y:.*]] = stablehlo.atan2 %[[X]], %[[ONE]] : tensor<4xf32>
// CHECK: %[[R:.*]] = stablehlo.convert %[[Y]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: return %[[R]]
func.func @narrow(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = chlo.atan %x : tensor<4xbf16> -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// A single operation on the element type is not widened.
// CHECK-LABEL: @simple
// CHECK: stablehlo.multiply %arg0, %arg0 : tensor<4xbf16>
// CHECK: stablehlo.tan %{{.*}} : tensor<4xf32>
func.func @simple(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>) {
  %r = chlo.square %x : tensor<4xbf16> -> tensor<4xbf16>
  %t = chlo.tan %y : tensor<4xf32> -> tensor<4xf32>
  %c = chlo.conj %y : tensor<4xf32> -> tensor<4xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %arg1
  return %r, %t, %c : tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @in_a_loop
// CHECK: do {
// CHECK: stablehlo.multiply
// CHECK-NOT: chlo.
func.func @in_a_loop(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %r = stablehlo.while(%a = %x) : tensor<4xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %b = chlo.square %a : tensor<4xf32> -> tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The first elements of a stable sort, floats in their total order.
// CHECK-LABEL: @top_k
// CHECK: %[[I:.*]] = stablehlo.iota dim = 1 : tensor<4x8xi32>
// CHECK: %[[S:.*]]:2 = "stablehlo.sort"(%{{.*}}, %[[I]]) <{dimension = 1 : i64, is_stable = true}>
// CHECK: stablehlo.compare GT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: %[[V:.*]] = stablehlo.slice %[[S]]#0 [0:4, 0:2]
// CHECK: %[[P:.*]] = stablehlo.slice %[[S]]#1 [0:4, 0:2]
// CHECK: return %[[V]], %[[P]]
func.func @top_k(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %v, %i = chlo.top_k(%x, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %v, %i : tensor<4x2xf32>, tensor<4x2xi32>
}

// One element is a maximum, in the order of integers, and its first place.
// CHECK-LABEL: @greatest
// CHECK: %[[WORDS:.*]] = stablehlo.xor
// CHECK: %[[FOUND:.*]] = stablehlo.reduce(%[[WORDS]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [1]
// CHECK: stablehlo.compare EQ, %[[WORDS]]
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.minimum across dimensions = [1]
// CHECK-NOT: stablehlo.sort
// CHECK: return
func.func @greatest(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x1xi32>) {
  %v, %i = chlo.top_k(%x, k = 1) : tensor<4x8xf32> -> (tensor<4x1xf32>, tensor<4x1xi32>)
  return %v, %i : tensor<4x1xf32>, tensor<4x1xi32>
}

// Functions of f64 stay for the pass that splits it, and zeta is a loop over its terms.
// CHECK-LABEL: @doubles
// CHECK: chlo.erf %arg0 : tensor<4xf64>
// CHECK: stablehlo.while
// CHECK: stablehlo.power {{.*}} : tensor<4xf64>
// CHECK-NOT: chlo.
func.func @doubles(%x: tensor<4xf64>, %s: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %0 = chlo.erf %x : tensor<4xf64> -> tensor<4xf64>
  %1 = chlo.zeta %s, %x : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %0, %1 : tensor<4xf64>, tensor<4xf64>
}
