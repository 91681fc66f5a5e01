// Reductions: a single operation that is applied, a body, several inputs at once.
// RUN: %systole-opt %s | FileCheck %s
// RUN: systole-opt %s --mlir-print-op-generic | systole-opt | FileCheck %s

// CHECK-LABEL: func.func @applies(
func.func @applies(%x: tensor<4x8xf32>, %s: tensor<f32>, %p: tensor<4xi1>, %t: tensor<i1>) {
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.minimum across dimensions = [1, 0] {mhlo.note = "kept"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%x init: %s) applies stablehlo.minimum across dimensions = [1, 0] {mhlo.note = "kept"} : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.multiply across dimensions = [] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = stablehlo.reduce(%x init: %s) applies stablehlo.multiply across dimensions = [] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  %4 = stablehlo.reduce(%p init: %t) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  // CHECK: stablehlo.reduce(%{{[^ ,)]+}} init: %{{[^ ,)]+}}) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  %5 = stablehlo.reduce(%p init: %t) applies stablehlo.and across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
  return
}

// Bodies that `applies` could not restore are written out.
// CHECK-LABEL: func.func @bodies(
func.func @bodies(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) {
  // CHECK-NEXT: %[[R:.*]] = stablehlo.add %[[B]], %[[A]] : tensor<f32>
  // CHECK-NEXT: stablehlo.return %[[R]] : tensor<f32>
  %swapped = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %r = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }
  // CHECK: reducer(
  // CHECK-NEXT: stablehlo.subtract
  %not_commutative = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %r = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }
  // CHECK: reducer(
  // CHECK-NEXT: stablehlo.add %{{.*}}, %[[OUTER:.*]] : tensor<f32>
  %captures = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %r = stablehlo.add %a, %s : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }
  return
}

// Elements may be summed in a wider type of their kind.
// CHECK-LABEL: func.func @widened(
func.func @widened(%x: tensor<4x8xbf16>, %s: tensor<bf16>) {
  // CHECK: (tensor<4x8xbf16>, tensor<bf16>) -> tensor<4xf32>
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xbf16>, tensor<bf16>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }
  return
}

// CHECK-LABEL: func.func @variadic(
func.func @variadic(%x: tensor<0x8xf32>, %y: tensor<0x8xi32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: %{{.*}}:2 = stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<0x8xf32>, tensor<0x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[I:.*]]: tensor<i32>, %[[J:.*]]: tensor<i32>)
  // CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<f32>, tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %s), (%y init: %i) across dimensions = [0] : (tensor<0x8xf32>, tensor<0x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
    %m = stablehlo.maximum %a, %b : tensor<f32>
    %n = stablehlo.minimum %j, %k : tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return
}

// Initial values with some of the kept dimensions: inference takes them, compilation does not.
// CHECK-LABEL: func.func @initial_arrays
func.func @initial_arrays(%x: tensor<8x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: reducer(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<4xf32>
   reducer(%a: tensor<4xf32>, %b: tensor<4xf32>) {
    %1 = stablehlo.add %a, %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// The reducer may compute in wider elements, of integers of other signs, too.
// CHECK-LABEL: func.func @promoted
func.func @promoted(%x: tensor<8x4xui8>, %s: tensor<ui8>) -> tensor<4xi32> {
  // CHECK: stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8x4xui8>, tensor<ui8>) -> tensor<4xi32>
  // CHECK-NEXT: reducer(%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>)
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<8x4xui8>, tensor<ui8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
