// RUN: %systole-opt %s --systole-order-reductions --split-input-file | FileCheck %s

// Bodies that are the same with their arguments exchanged stay, whatever they are made of.
// CHECK-LABEL: @symmetric
// CHECK: stablehlo.reduce
// CHECK: stablehlo.subtract
// CHECK: stablehlo.add
// CHECK: stablehlo.return
// CHECK-NOT: stablehlo.slice
func.func @symmetric(%x: tensor<5x9xf32>, %y: tensor<5x9xf32>, %i: tensor<f32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %r:2 = stablehlo.reduce(%x init: %i), (%y init: %i) across dimensions = [0] : (tensor<5x9xf32>, tensor<5x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<9xf32>, tensor<9xf32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %ac = stablehlo.multiply %a, %c : tensor<f32>
    %bd = stablehlo.multiply %d, %b : tensor<f32>
    %re = stablehlo.subtract %ac, %bd : tensor<f32>
    %ad = stablehlo.multiply %a, %d : tensor<f32>
    %bc = stablehlo.multiply %b, %c : tensor<f32>
    %im = stablehlo.add %ad, %bc : tensor<f32>
    stablehlo.return %re, %im : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<9xf32>, tensor<9xf32>
}

// -----

// An argument of a maximum, as JAX writes it: the iota says which of two elements is first. The
// conditions of value and place differ where the values are equal.
// CHECK-LABEL: @argument
// CHECK: %[[I:.*]] = stablehlo.iota
// CHECK: stablehlo.reduce({{.*}}), (%[[I]] init
// CHECK: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[P:.*]]: tensor<i32>, %[[Q:.*]]: tensor<i32>)
// CHECK: %[[FIRST:.*]] = stablehlo.compare LT, %[[P]], %[[Q]] {kernel.ascending}
// CHECK: %[[X:.*]] = stablehlo.select %[[FIRST]], %[[A]], %[[B]]
// CHECK: stablehlo.select %[[FIRST]], %[[P]], %[[Q]]
// CHECK: %[[Y:.*]] = stablehlo.select %[[FIRST]], %[[B]], %[[A]]
// CHECK: stablehlo.select %[[FIRST]], %[[Q]], %[[P]]
// CHECK: stablehlo.compare GT, %[[X]], %[[Y]]
func.func @argument(%x: tensor<5x9xf32>, %lowest: tensor<f32>, %zero: tensor<i32>) -> tensor<5xi32> {
  %i = stablehlo.iota dim = 1 : tensor<5x9xi32>
  %r:2 = stablehlo.reduce(%x init: %lowest), (%i init: %zero) across dimensions = [1] : (tensor<5x9xf32>, tensor<5x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %larger = stablehlo.or %gt, %nan : tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %before = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %tie = stablehlo.and %eq, %before : tensor<i1>
    %here = stablehlo.or %larger, %tie : tensor<i1>
    %value = stablehlo.select %larger, %a, %b : tensor<i1>, tensor<f32>
    %place = stablehlo.select %here, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }
  return %r#1 : tensor<5xi32>
}

// -----

// Over two dimensions places are counted, from row to row; the initial value comes first.
// CHECK-LABEL: @two_dimensions
// CHECK-DAG: %[[ROW:.*]] = stablehlo.iota dim = 0 : tensor<5x9xi32>
// CHECK-DAG: %[[LANE:.*]] = stablehlo.iota dim = 1 : tensor<5x9xi32>
// CHECK-DAG: %[[NINE:.*]] = stablehlo.constant dense<9> : tensor<5x9xi32>
// CHECK: %[[SCALED:.*]] = stablehlo.multiply %[[ROW]], %[[NINE]]
// CHECK: %[[PLACE:.*]] = stablehlo.add %[[SCALED]], %[[LANE]]
// CHECK: %[[FIRST:.*]] = stablehlo.constant dense<-1> : tensor<i32>
// CHECK: stablehlo.reduce({{.*}}), ({{.*}}), (%[[PLACE]] init: %[[FIRST]])
// CHECK: stablehlo.compare LT, {{.*}} {kernel.ascending}
// CHECK: %[[MIN:.*]] = stablehlo.minimum
// CHECK: %[[MAX:.*]] = stablehlo.maximum
// CHECK: stablehlo.select %{{.*}}, %[[MIN]], %[[MAX]]
func.func @two_dimensions(%x: tensor<5x9xf32>, %y: tensor<5x9xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = stablehlo.reduce(%x init: %i), (%y init: %i) across dimensions = [0, 1] : (tensor<5x9xf32>, tensor<5x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %gt = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %gt, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %gt, %b, %d : tensor<i1>, tensor<f32>
    stablehlo.return %v, %w : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// Anything else: neighbours, in as many steps as 5 has bits. The fifth row comes last, the
// initial value first.
// CHECK-LABEL: @difference
// CHECK-SAME: %[[X:.*]]: tensor<5x9xf32>, %[[I:.*]]: tensor<f32>
// CHECK: %[[LAST:.*]] = stablehlo.slice %[[X]] [4:5:2, 0:9]
// CHECK: %[[A:.*]] = stablehlo.slice %[[X]] [0:3:2, 0:9]
// CHECK: %[[B:.*]] = stablehlo.slice %[[X]] [1:4:2, 0:9]
// CHECK: %[[PAIRS:.*]] = stablehlo.subtract %[[A]], %[[B]] : tensor<2x9xf32>
// CHECK: %[[C:.*]] = stablehlo.slice %[[PAIRS]] [0:1:2, 0:9]
// CHECK: %[[D:.*]] = stablehlo.slice %[[PAIRS]] [1:2:2, 0:9]
// CHECK: %[[FOUR:.*]] = stablehlo.subtract %[[C]], %[[D]] : tensor<1x9xf32>
// CHECK: %[[ALL:.*]] = stablehlo.subtract %[[FOUR]], %[[LAST]]
// CHECK-DAG: %[[INIT:.*]] = stablehlo.broadcast_in_dim %[[I]]
// CHECK-DAG: %[[FLAT:.*]] = stablehlo.reshape %[[ALL]] : (tensor<1x9xf32>) -> tensor<9xf32>
// CHECK: stablehlo.subtract %[[INIT]], %[[FLAT]]
func.func @difference(%x: tensor<5x9xf32>, %i: tensor<f32>) -> tensor<9xf32> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<5x9xf32>, tensor<f32>) -> tensor<9xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return %r : tensor<9xf32>
}

// -----

// Two choices that depend on each other's elements are none of pairs.
// CHECK-LABEL: @two_choices
// CHECK-NOT: stablehlo.reduce
func.func @two_choices(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = stablehlo.reduce(%x init: %i), (%y init: %i) across dimensions = [0] : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %gt = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %lt = stablehlo.compare LT, %b, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %gt, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %lt, %b, %d : tensor<i1>, tensor<f32>
    stablehlo.return %v, %w : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}
