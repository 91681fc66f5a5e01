// RUN: %systole-opt %s --systole-order-reductions --split-input-file | FileCheck %s

// Symmetric bodies are unchanged, whatever operations they contain.
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

// Over two dimensions indices are row-major; the initial value comes first.
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

// Without reduced dimensions each element is alone, at index 0.
// CHECK-LABEL: @no_dimensions
// CHECK: %[[PLACE:.*]] = stablehlo.constant dense<0> : tensor<7xi32>
// CHECK: stablehlo.reduce({{.*}}), ({{.*}}), (%[[PLACE]] init: %{{.*}}) across dimensions = []
func.func @no_dimensions(%x: tensor<7xf32>, %y: tensor<7xf32>, %i: tensor<f32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %r:2 = stablehlo.reduce(%x init: %i), (%y init: %i) across dimensions = [] : (tensor<7xf32>, tensor<7xf32>, tensor<f32>, tensor<f32>) -> (tensor<7xf32>, tensor<7xf32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %gt = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %gt, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %gt, %b, %d : tensor<i1>, tensor<f32>
    stablehlo.return %v, %w : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xf32>
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

// Two selections that depend on each other's elements do not select pairs.
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

// -----

// Conditions that share their operands are worked out once each, not once for each way to them:
// here there are 2^40.
// CHECK-LABEL: @shared_conditions
// CHECK: stablehlo.compare LT, {{.*}} {kernel.ascending}
func.func @shared_conditions(%x: tensor<5xf32>, %i: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = stablehlo.reduce(%x init: %i), (%x init: %i) across dimensions = [0] : (tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    %p0 = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %p1 = stablehlo.and %p0, %p0 : tensor<i1>
    %p2 = stablehlo.and %p1, %p1 : tensor<i1>
    %p3 = stablehlo.and %p2, %p2 : tensor<i1>
    %p4 = stablehlo.and %p3, %p3 : tensor<i1>
    %p5 = stablehlo.and %p4, %p4 : tensor<i1>
    %p6 = stablehlo.and %p5, %p5 : tensor<i1>
    %p7 = stablehlo.and %p6, %p6 : tensor<i1>
    %p8 = stablehlo.and %p7, %p7 : tensor<i1>
    %p9 = stablehlo.and %p8, %p8 : tensor<i1>
    %p10 = stablehlo.and %p9, %p9 : tensor<i1>
    %p11 = stablehlo.and %p10, %p10 : tensor<i1>
    %p12 = stablehlo.and %p11, %p11 : tensor<i1>
    %p13 = stablehlo.and %p12, %p12 : tensor<i1>
    %p14 = stablehlo.and %p13, %p13 : tensor<i1>
    %p15 = stablehlo.and %p14, %p14 : tensor<i1>
    %p16 = stablehlo.and %p15, %p15 : tensor<i1>
    %p17 = stablehlo.and %p16, %p16 : tensor<i1>
    %p18 = stablehlo.and %p17, %p17 : tensor<i1>
    %p19 = stablehlo.and %p18, %p18 : tensor<i1>
    %p20 = stablehlo.and %p19, %p19 : tensor<i1>
    %p21 = stablehlo.and %p20, %p20 : tensor<i1>
    %p22 = stablehlo.and %p21, %p21 : tensor<i1>
    %p23 = stablehlo.and %p22, %p22 : tensor<i1>
    %p24 = stablehlo.and %p23, %p23 : tensor<i1>
    %p25 = stablehlo.and %p24, %p24 : tensor<i1>
    %p26 = stablehlo.and %p25, %p25 : tensor<i1>
    %p27 = stablehlo.and %p26, %p26 : tensor<i1>
    %p28 = stablehlo.and %p27, %p27 : tensor<i1>
    %p29 = stablehlo.and %p28, %p28 : tensor<i1>
    %p30 = stablehlo.and %p29, %p29 : tensor<i1>
    %p31 = stablehlo.and %p30, %p30 : tensor<i1>
    %p32 = stablehlo.and %p31, %p31 : tensor<i1>
    %p33 = stablehlo.and %p32, %p32 : tensor<i1>
    %p34 = stablehlo.and %p33, %p33 : tensor<i1>
    %p35 = stablehlo.and %p34, %p34 : tensor<i1>
    %p36 = stablehlo.and %p35, %p35 : tensor<i1>
    %p37 = stablehlo.and %p36, %p36 : tensor<i1>
    %p38 = stablehlo.and %p37, %p37 : tensor<i1>
    %p39 = stablehlo.and %p38, %p38 : tensor<i1>
    %p40 = stablehlo.and %p39, %p39 : tensor<i1>
    %v = stablehlo.select %p0, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p40, %b, %d : tensor<i1>, tensor<f32>
    stablehlo.return %v, %w : tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

// Sums of f64 combine halves, an odd element last.
// CHECK-LABEL: @doubles
// CHECK: %[[X:.*]] = stablehlo.transpose %arg0, dims = [1, 0]
// CHECK: %[[LAST:.*]] = stablehlo.slice %[[X]] [4:5, 0:3]
// CHECK: %[[LOW:.*]] = stablehlo.slice %[[X]] [0:2, 0:3]
// CHECK: %[[HIGH:.*]] = stablehlo.slice %[[X]] [2:4, 0:3]
// CHECK: %[[HALF:.*]] = stablehlo.add %[[LOW]], %[[HIGH]]
// CHECK: %[[A:.*]] = stablehlo.slice %[[HALF]] [0:1, 0:3]
// CHECK: %[[B:.*]] = stablehlo.slice %[[HALF]] [1:2, 0:3]
// CHECK: %[[C:.*]] = stablehlo.add %[[A]], %[[B]]
// CHECK: stablehlo.add %[[C]], %[[LAST]]
// CHECK-NOT: stablehlo.reduce
func.func @doubles(%x: tensor<3x5xf64>, %i: tensor<f64>) -> tensor<3xf64> {
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}

// -----

// So do other operations on f64 in symmetric reducers.
// CHECK-LABEL: @function_of_doubles
// CHECK: %[[LOW:.*]] = stablehlo.slice %{{.*}} [0:1
// CHECK: %[[HIGH:.*]] = stablehlo.slice %{{.*}} [1:2
// CHECK: %[[M:.*]] = stablehlo.maximum %[[LOW]], %[[HIGH]]
// CHECK: chlo.digamma %[[M]]
// CHECK-NOT: stablehlo.reduce
func.func @function_of_doubles(%x: tensor<2xf64>, %i: tensor<f64>) -> tensor<f64> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
   reducer(%a: tensor<f64>, %b: tensor<f64>) {
    %m = stablehlo.maximum %a, %b : tensor<f64>
    %d = chlo.digamma %m : tensor<f64> -> tensor<f64>
    %n = stablehlo.maximum %d, %m : tensor<f64>
    stablehlo.return %n : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A choice by a function of f64 combines neighbours.
// CHECK-LABEL: @choice_by_function_of_doubles
// CHECK: %[[FIRST:.*]] = stablehlo.slice %{{.*}} [0:1:2
// CHECK: %[[SECOND:.*]] = stablehlo.slice %{{.*}} [1:2:2
// CHECK: stablehlo.sine %[[FIRST]]
// CHECK: stablehlo.sine %[[SECOND]]
// CHECK: stablehlo.compare
// CHECK-NOT: stablehlo.reduce
func.func @choice_by_function_of_doubles(%x: tensor<2xf64>, %i: tensor<f64>) -> tensor<f64> {
  %r = stablehlo.reduce(%x init: %i) across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
   reducer(%a: tensor<f64>, %b: tensor<f64>) {
    %s = stablehlo.sine %a : tensor<f64>
    %t = stablehlo.sine %b : tensor<f64>
    %c = stablehlo.compare GE, %s, %t : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %n = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f64>
    stablehlo.return %n : tensor<f64>
  }
  return %r : tensor<f64>
}
