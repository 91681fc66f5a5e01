// RUN: %systole-opt %s --systole-recompute | FileCheck %s

// A batch's mean and variance: the square is one operation on what is in HBM anyway, the difference
// from the mean is read by the last kernel alone.
// CHECK-LABEL: func.func @normalize
// CHECK: %[[Y:.*]] = kernel.fusion "convolution"
// CHECK: kernel.fused %{{.*}} : tensor<8x64x64x128xf32>
// CHECK: %[[S:.*]] = kernel.fusion "reduce" (%[[A:.*]] = %[[Y]])
// CHECK-NEXT: %[[SQ:.*]] = stablehlo.multiply %[[A]], %[[A]]
// CHECK: stablehlo.reduce(%[[SQ]]
// CHECK-NOT: kernel.fusion
// CHECK: kernel.fusion "loop" (%[[B:.*]] = %[[Y]], %[[M:.*]] = %arg2, %[[C:.*]] = %[[S]])
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[M]]
// CHECK: stablehlo.subtract %[[B]], %[[ALL]]
func.func @normalize(%x: tensor<8x64x64x128xf32>, %w: tensor<1x1x128x128xf32>, %m: tensor<128xf32>) -> tensor<8x64x64x128xf32> {
  %0:2 = kernel.fusion "convolution" (%a = %x, %b = %w) : (tensor<8x64x64x128xf32>, tensor<1x1x128x128xf32>) -> (tensor<8x64x64x128xf32>, tensor<8x64x64x128xf32>) {
    %y = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x64x64x128xf32>, tensor<1x1x128x128xf32>) -> tensor<8x64x64x128xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x64x64x128xf32>
    kernel.fused %y, %square : tensor<8x64x64x128xf32>, tensor<8x64x64x128xf32>
  }
  %1 = kernel.fusion "reduce" (%a = %0#1) : (tensor<8x64x64x128xf32>) -> tensor<128xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x64x64x128xf32>, tensor<f32>) -> tensor<128xf32>
    kernel.fused %sum : tensor<128xf32>
  }
  %2 = kernel.fusion "loop" (%a = %0#0, %b = %m) : (tensor<8x64x64x128xf32>, tensor<128xf32>) -> tensor<8x64x64x128xf32> {
    %all = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<128xf32>) -> tensor<8x64x64x128xf32>
    %difference = stablehlo.subtract %a, %all : tensor<8x64x64x128xf32>
    kernel.fused %difference : tensor<8x64x64x128xf32>
  }
  %3 = kernel.fusion "loop" (%a = %2, %b = %1) : (tensor<8x64x64x128xf32>, tensor<128xf32>) -> tensor<8x64x64x128xf32> {
    %all = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<128xf32>) -> tensor<8x64x64x128xf32>
    %product = stablehlo.multiply %a, %all : tensor<8x64x64x128xf32>
    kernel.fused %product : tensor<8x64x64x128xf32>
  }
  return %3 : tensor<8x64x64x128xf32>
}

// Three kernels would read three arrays each instead of their sum.
// CHECK-LABEL: func.func @three_for_one
// CHECK: %[[SUM:.*]] = kernel.fusion "loop"
// CHECK-COUNT-3: kernel.fusion "loop" (%{{[a-z0-9]+}} = %[[SUM]])
func.func @three_for_one(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>, %z: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0 = kernel.fusion "loop" (%a = %x, %b = %y, %c = %z) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %two = stablehlo.add %a, %b : tensor<1024x1024xf32>
    %three = stablehlo.add %two, %c : tensor<1024x1024xf32>
    kernel.fused %three : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "loop" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %minus = stablehlo.negate %a : tensor<1024x1024xf32>
    kernel.fused %minus : tensor<1024x1024xf32>
  }
  %2 = kernel.fusion "loop" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %size = stablehlo.abs %a : tensor<1024x1024xf32>
    kernel.fused %size : tensor<1024x1024xf32>
  }
  %3 = kernel.fusion "loop" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %below = stablehlo.floor %a : tensor<1024x1024xf32>
    kernel.fused %below : tensor<1024x1024xf32>
  }
  return %1, %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// A product that reads the array anyway computes its operand from it.
// CHECK-LABEL: func.func @operands
// CHECK-NOT: kernel.fusion "loop"
// CHECK: kernel.fusion "dot" (%[[A:.*]] = %arg0)
// CHECK-NEXT: %[[MINUS:.*]] = stablehlo.negate %[[A]]
// CHECK-NEXT: stablehlo.dot_general %[[MINUS]], %[[A]],
// CHECK: kernel.fusion "reduce" (%{{.*}} = %arg0)
func.func @operands(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %minus = stablehlo.negate %a : tensor<1024x1024xf32>
    kernel.fused %minus : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "dot" (%a = %0, %b = %x) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %product = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %product : tensor<1024x1024xf32>
  }
  %2 = kernel.fusion "reduce" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %sum : tensor<1024xf32>
  }
  return %1, %2 : tensor<1024x1024xf32>, tensor<1024xf32>
}

// Two results that follow from one value, which alone goes to HBM: both readers start from it.
// CHECK-LABEL: func.func @source
// CHECK: %[[Y:.*]] = kernel.fusion "dot"
// CHECK: kernel.fused %{{.*}} : tensor<1024x1024xf32>
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[Y]], %{{.*}} = %arg2)
// CHECK-NEXT: stablehlo.tanh
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[Y]], %{{.*}} = %arg2)
// CHECK: stablehlo.negate
func.func @source(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>, %z: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0:2 = kernel.fusion "dot" (%a = %x, %b = %w) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
    %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %t = stablehlo.tanh %y : tensor<1024x1024xf32>
    %minus = stablehlo.negate %y : tensor<1024x1024xf32>
    kernel.fused %t, %minus : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "loop" (%a = %0#0, %b = %z) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %sum = stablehlo.add %a, %b : tensor<1024x1024xf32>
    kernel.fused %sum : tensor<1024x1024xf32>
  }
  %2 = kernel.fusion "loop" (%a = %0#0, %b = %0#1, %c = %z) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %product = stablehlo.multiply %a, %b : tensor<1024x1024xf32>
    %sum = stablehlo.add %product, %c : tensor<1024x1024xf32>
    kernel.fused %sum : tensor<1024x1024xf32>
  }
  return %1, %2 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// A transposition of what leaves the kernel anyway is made where it is read.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[Y:.*]] = kernel.fusion "dot"
// CHECK: kernel.fused %{{.*}} : tensor<1024x3072xf32>
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[Y]])
// CHECK: kernel.fusion "loop" (%[[A:.*]] = %[[Y]])
// CHECK-NEXT: stablehlo.transpose %[[A]]
func.func @transposed(%x: tensor<1024x512xf32>, %w: tensor<512x3072xf32>) -> (tensor<1024x3072xf32>, tensor<3072x1024xf32>) {
  %0:2 = kernel.fusion "dot" (%a = %x, %b = %w) : (tensor<1024x512xf32>, tensor<512x3072xf32>) -> (tensor<1024x3072xf32>, tensor<3072x1024xf32>) {
    %y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x3072xf32>) -> tensor<1024x3072xf32>
    %order = stablehlo.transpose %y, dims = [1, 0] : (tensor<1024x3072xf32>) -> tensor<3072x1024xf32>
    kernel.fused %y, %order : tensor<1024x3072xf32>, tensor<3072x1024xf32>
  }
  %1 = kernel.fusion "loop" (%a = %0#0) : (tensor<1024x3072xf32>) -> tensor<1024x3072xf32> {
    %minus = stablehlo.negate %a : tensor<1024x3072xf32>
    kernel.fused %minus : tensor<1024x3072xf32>
  }
  %2 = kernel.fusion "loop" (%a = %0#1) : (tensor<3072x1024xf32>) -> tensor<3072x1024xf32> {
    %size = stablehlo.abs %a : tensor<3072x1024xf32>
    kernel.fused %size : tensor<3072x1024xf32>
  }
  return %1, %2 : tensor<1024x3072xf32>, tensor<3072x1024xf32>
}

// Formulas that take no longer than copies are computed by each reader.
// CHECK-LABEL: func.func @short_formula
// CHECK: kernel.fusion "reduce" (%{{.*}} = %arg0)
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.sine
// CHECK: kernel.fusion "reduce" (%{{.*}} = %arg0)
// CHECK-NEXT: stablehlo.tanh
// CHECK-NEXT: stablehlo.sine
// CHECK-NOT: kernel.fusion
func.func @short_formula(%x: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %t0 = stablehlo.tanh %a : tensor<1024x1024xf32>
    %t1 = stablehlo.sine %t0 : tensor<1024x1024xf32>
    kernel.fused %t1 : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "reduce" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %sum : tensor<1024xf32>
  }
  %2 = kernel.fusion "reduce" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %max : tensor<1024xf32>
  }
  return %1, %2 : tensor<1024xf32>, tensor<1024xf32>
}

// Longer ones are computed once.
// CHECK-LABEL: func.func @long_formula
// CHECK: %[[Y:.*]] = kernel.fusion "loop"
// CHECK-COUNT-8: stablehlo.sine
// CHECK: kernel.fusion "reduce" (%{{.*}} = %[[Y]])
// CHECK: kernel.fusion "reduce" (%{{.*}} = %[[Y]])
func.func @long_formula(%x: tensor<1024x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %t0 = stablehlo.sine %a : tensor<1024x1024xf32>
    %t1 = stablehlo.sine %t0 : tensor<1024x1024xf32>
    %t2 = stablehlo.sine %t1 : tensor<1024x1024xf32>
    %t3 = stablehlo.sine %t2 : tensor<1024x1024xf32>
    %t4 = stablehlo.sine %t3 : tensor<1024x1024xf32>
    %t5 = stablehlo.sine %t4 : tensor<1024x1024xf32>
    %t6 = stablehlo.sine %t5 : tensor<1024x1024xf32>
    %t7 = stablehlo.sine %t6 : tensor<1024x1024xf32>
    kernel.fused %t7 : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "reduce" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %sum : tensor<1024xf32>
  }
  %2 = kernel.fusion "reduce" (%a = %0) : (tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %max = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    kernel.fused %max : tensor<1024xf32>
  }
  return %1, %2 : tensor<1024xf32>, tensor<1024xf32>
}

// What a loop carries is overwritten by the kernel that computes its next value: nothing behind
// that reads the old one.
// CHECK-LABEL: func.func @carried
// CHECK: do {
// CHECK: %[[D:.*]] = kernel.fusion "loop" (%{{.*}} = %iterArg_0)
// CHECK-NEXT: stablehlo.multiply
// CHECK: kernel.fusion "loop" (%{{.*}} = %iterArg_0)
// CHECK: kernel.fusion "loop" (%{{.*}} = %[[D]])
func.func @carried(%n: tensor<i32>, %x: tensor<1024x1024xf32>) -> (tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %0:3 = stablehlo.while(%iterArg = %n, %iterArg_0 = %x, %iterArg_1 = %x) : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  cond {
    %limit = stablehlo.constant dense<9> : tensor<i32>
    %go = stablehlo.compare LT, %iterArg, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %iterArg, %one : tensor<i32>
    %1 = kernel.fusion "loop" (%a = %iterArg_0) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
      %square = stablehlo.multiply %a, %a : tensor<1024x1024xf32>
      kernel.fused %square : tensor<1024x1024xf32>
    }
    %2 = kernel.fusion "loop" (%a = %iterArg_0) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
      %minus = stablehlo.negate %a : tensor<1024x1024xf32>
      kernel.fused %minus : tensor<1024x1024xf32>
    }
    %3 = kernel.fusion "loop" (%a = %1) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
      %size = stablehlo.abs %a : tensor<1024x1024xf32>
      kernel.fused %size : tensor<1024x1024xf32>
    }
    stablehlo.return %next, %2, %3 : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// A position is a scalar, so that its reader cannot compute it, even if it reads it as a tensor as well.
// CHECK-LABEL: func.func @position
// CHECK: kernel.fusion "loop" (%[[A:.*]] = %{{.*}}, %[[P:.*]] = %0#1, %{{.*}} = %{{.*}})
// CHECK: stablehlo.dynamic_slice %[[A]], %[[P]],
func.func @position(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>) {
  %0:2 = kernel.fusion "loop" (%a = %x) : (tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<i32>) {
    %minus = stablehlo.negate %a : tensor<2x1xf32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %twice = stablehlo.add %three, %three : tensor<i32>
    kernel.fused %minus, %twice : tensor<2x1xf32>, tensor<i32>
  }
  %1 = kernel.fusion "loop" (%a = %0#0, %p = %0#1, %q = %0#1) : (tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %row = stablehlo.dynamic_slice %a, %p, %zero, sizes = [1, 1] : (tensor<2x1xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %f = stablehlo.convert %q : (tensor<i32>) -> tensor<f32>
    %all = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %sum = stablehlo.add %row, %all : tensor<1x1xf32>
    kernel.fused %sum : tensor<1x1xf32>
  }
  return %0#0, %1 : tensor<2x1xf32>, tensor<1x1xf32>
}
