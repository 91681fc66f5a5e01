// RUN: %systole-opt %s --systole-expand-sort --split-input-file --verify-diagnostics | FileCheck %s

// Eight elements, of which any order of equal ones will do: no numbers. Pairs first, then a loop of
// 2 steps on blocks of 4 and one of 3 steps on the whole, which does not descend anywhere.
// CHECK-LABEL: @unstable
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[LOW:.*]] = stablehlo.slice %{{.*}} [0:4, 0:1] : (tensor<4x2xf32>)
// CHECK: %[[HIGH:.*]] = stablehlo.slice %{{.*}} [0:4, 1:2]
// CHECK: %[[LT:.*]] = stablehlo.compare LT, %[[HIGH]], %[[LOW]]
// CHECK: %[[SWAP:.*]] = stablehlo.xor %[[LT]], %{{.*}} : tensor<4x1xi1>
// CHECK: stablehlo.select %[[SWAP]], %[[HIGH]], %[[LOW]]
// CHECK: stablehlo.select %[[SWAP]], %[[LOW]], %[[HIGH]]
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<2x4xf32>
// CHECK: stablehlo.constant dense<2> : tensor<i32>
// CHECK: stablehlo.xor
// CHECK: stablehlo.concatenate {{.*}}, dim = 2
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x8xf32>
// CHECK: stablehlo.constant dense<3> : tensor<i32>
// CHECK-NOT: stablehlo.xor
// CHECK: return
func.func @unstable(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Three elements are padded to four and numbered; many rows lie along the lanes.
// CHECK-LABEL: @rows
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<50x3xi8>) -> tensor<3x50xi8>
// CHECK: stablehlo.pad %{{.*}}, low = [0, 0, 0], high = [0, 1, 0]
// CHECK: stablehlo.iota dim = 1 : tensor<1x4x50xi32>
// CHECK: stablehlo.compare GE, %{{.*}} : (tensor<2x1x50xi32>, tensor<2x1x50xi32>)
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<1x4x50xi8>, tensor<1x4x50xi32>
// CHECK: stablehlo.slice %{{.*}} [0:1, 0:3, 0:50]
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x50xi8>) -> tensor<50x3xi8>
func.func @rows(%x: tensor<50x3xi8>) -> tensor<50x3xi8> {
  %r = "stablehlo.sort"(%x) <{is_stable = true}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<50x3xi8>) -> tensor<50x3xi8>
  return %r : tensor<50x3xi8>
}

// -----

func.func @comparator(%x: tensor<8xf32>, %y: tensor<4xi1>) -> tensor<8xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error@+1 {{operation 'stablehlo.reduce' is not supported in the body of 'stablehlo.sort'}}
    %p = stablehlo.reduce(%y init: %t) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
