// RUN: %systole-opt %s --systole-merge-fusions | FileCheck %s

// Two sums of one array, with a kernel between them that the second could come before.
// CHECK-LABEL: func.func @siblings
// CHECK: %[[S:.*]]:2 = kernel.fusion "reduce" (%[[A:.*]] = %arg0)
// CHECK: stablehlo.reduce(%[[A]]
// CHECK: stablehlo.multiply %[[A]], %[[A]]
// CHECK: stablehlo.reduce
// CHECK: kernel.fusion "copy" (%{{.*}} = %[[S]]#0,
// CHECK-NOT: kernel.fusion
// CHECK: return %{{.*}}, %[[S]]#1
func.func @siblings(%x: tensor<4096x256xf32>, %i: tensor<i32>) -> (tensor<128xf32>, tensor<4096xf32>) {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  %1 = kernel.fusion "copy" (%a = %0, %j = %i) : (tensor<4096xf32>, tensor<i32>) -> tensor<128xf32> {
    %part = stablehlo.dynamic_slice %a, %j, sizes = [128] : (tensor<4096xf32>, tensor<i32>) -> tensor<128xf32>
    kernel.fused %part : tensor<128xf32>
  }
  %2 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %square = stablehlo.multiply %a, %a : tensor<4096x256xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  return %1, %2 : tensor<128xf32>, tensor<4096xf32>
}

// The first can wait for what the second needs.
// CHECK-LABEL: func.func @later
// CHECK: %[[S:.*]] = kernel.fusion "copy" (%{{.*}} = %arg1,
// CHECK: kernel.fusion "reduce" (%{{.*}} = %arg0, %{{.*}} = %[[S]])
// CHECK-NOT: kernel.fusion
func.func @later(%x: tensor<4096x256xf32>, %y: tensor<4096xf32>, %i: tensor<i32>) -> (tensor<4096xf32>, tensor<4096x256xf32>) {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  %1 = kernel.fusion "copy" (%a = %y, %j = %i) : (tensor<4096xf32>, tensor<i32>) -> tensor<256xf32> {
    %part = stablehlo.dynamic_slice %a, %j, sizes = [256] : (tensor<4096xf32>, tensor<i32>) -> tensor<256xf32>
    kernel.fused %part : tensor<256xf32>
  }
  %2 = kernel.fusion "loop" (%a = %x, %b = %1) : (tensor<4096x256xf32>, tensor<256xf32>) -> tensor<4096x256xf32> {
    %all = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<256xf32>) -> tensor<4096x256xf32>
    %sum = stablehlo.add %a, %all : tensor<4096x256xf32>
    kernel.fused %sum : tensor<4096x256xf32>
  }
  return %0, %2 : tensor<4096xf32>, tensor<4096x256xf32>
}

// One needs the other, by way of a third.
// CHECK-LABEL: func.func @dependent
// CHECK: kernel.fusion "reduce"
// CHECK: kernel.fusion "copy"
// CHECK: kernel.fusion "loop"
func.func @dependent(%x: tensor<4096x256xf32>, %i: tensor<i32>) -> tensor<4096x128xf32> {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<256xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<256xf32>
    kernel.fused %sum : tensor<256xf32>
  }
  %1 = kernel.fusion "copy" (%a = %0, %j = %i) : (tensor<256xf32>, tensor<i32>) -> tensor<128xf32> {
    %part = stablehlo.dynamic_slice %a, %j, sizes = [128] : (tensor<256xf32>, tensor<i32>) -> tensor<128xf32>
    kernel.fused %part : tensor<128xf32>
  }
  %2 = kernel.fusion "loop" (%a = %x, %b = %1) : (tensor<4096x256xf32>, tensor<128xf32>) -> tensor<4096x128xf32> {
    %half = stablehlo.slice %a [0:4096, 0:128] : (tensor<4096x256xf32>) -> tensor<4096x128xf32>
    %all = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<4096x128xf32>
    %sum = stablehlo.add %half, %all : tensor<4096x128xf32>
    kernel.fused %sum : tensor<4096x128xf32>
  }
  return %2 : tensor<4096x128xf32>
}

// Both kernels read what the loop carries, and one replaces it: a kernel of both reads it once, and writes
// over it, too.
// CHECK-LABEL: func.func @carried
// CHECK: do {
// CHECK: kernel.fusion "loop"
// CHECK-NEXT: stablehlo.multiply
// CHECK-NEXT: stablehlo.negate
// CHECK-NOT: kernel.fusion
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
    stablehlo.return %next, %2, %1 : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<i32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// Slices of one array, of which each but the first is compared with those before: the maximum of a window.
// CHECK-LABEL: func.func @window
// CHECK: kernel.fusion "loop" (%[[A:.*]] = %arg0) {{.*}} : (tensor<1030x1024xf32>) -> tensor<1024x1024xf32>
// CHECK: stablehlo.slice %[[A]]
// CHECK: stablehlo.slice %[[A]]
// CHECK: stablehlo.maximum
// CHECK: stablehlo.slice %[[A]]
// CHECK: stablehlo.maximum
// CHECK-NOT: kernel.fusion
func.func @window(%x: tensor<1030x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = kernel.fusion "copy" (%a = %x) : (tensor<1030x1024xf32>) -> tensor<1024x1024xf32> {
    %first = stablehlo.slice %a [0:1024, 0:1024] : (tensor<1030x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %first : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "loop" (%a = %x, %b = %0) : (tensor<1030x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %next = stablehlo.slice %a [3:1027, 0:1024] : (tensor<1030x1024xf32>) -> tensor<1024x1024xf32>
    %max = stablehlo.maximum %b, %next : tensor<1024x1024xf32>
    kernel.fused %max : tensor<1024x1024xf32>
  }
  %2 = kernel.fusion "loop" (%a = %x, %b = %1) : (tensor<1030x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %next = stablehlo.slice %a [6:1030, 0:1024] : (tensor<1030x1024xf32>) -> tensor<1024x1024xf32>
    %max = stablehlo.maximum %b, %next : tensor<1024x1024xf32>
    kernel.fused %max : tensor<1024x1024xf32>
  }
  return %2 : tensor<1024x1024xf32>
}

// A read of an array behind a barrier does not run where the array was read before.
// CHECK-LABEL: func.func @barrier
// CHECK: kernel.fusion "reduce"
// CHECK: stablehlo.optimization_barrier
// CHECK: kernel.fusion "reduce"
func.func @barrier(%x: tensor<4096x256xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  %1:2 = stablehlo.optimization_barrier %x, %0 : tensor<4096x256xf32>, tensor<4096xf32>
  %2 = kernel.fusion "reduce" (%a = %1#0) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %square = stablehlo.multiply %a, %a : tensor<4096x256xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  return %1#1, %2 : tensor<4096xf32>, tensor<4096xf32>
}

// A producer and its reader are one kernel where that is faster: a step computes of the left operand what
// it multiplies.
// CHECK-LABEL: func.func @producer
// CHECK: kernel.fusion "dot" (%[[A:.*]] = %arg0, %[[B:.*]] = %arg1)
// CHECK-NEXT: %[[M:.*]] = stablehlo.negate %[[A]]
// CHECK-NEXT: stablehlo.dot_general %[[M]], %[[B]]
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @producer(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %minus = stablehlo.negate %a : tensor<1024x1024xf32>
    kernel.fused %minus : tensor<1024x1024xf32>
  }
  %1 = kernel.fusion "dot" (%a = %0, %b = %w) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %product = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %product : tensor<1024x1024xf32>
  }
  return %1 : tensor<1024x1024xf32>
}

// They stay two where it is not: formulas for each of many blocks of columns take longer than to read their
// values.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[Y:.*]] = kernel.fusion "loop"
// CHECK: stablehlo.sine
// CHECK: kernel.fusion "dot" (%[[A:.*]] = %[[Y]],
// CHECK-NEXT: stablehlo.dot_general %[[A]],
func.func @repeated(%x: tensor<1024x512xf32>, %w: tensor<512x16384xf32>) -> tensor<1024x16384xf32> {
  %0 = kernel.fusion "loop" (%a = %x) : (tensor<1024x512xf32>) -> tensor<1024x512xf32> {
    %t = stablehlo.tanh %a : tensor<1024x512xf32>
    %u = stablehlo.sine %t : tensor<1024x512xf32>
    kernel.fused %u : tensor<1024x512xf32>
  }
  %1 = kernel.fusion "dot" (%a = %0, %b = %w) : (tensor<1024x512xf32>, tensor<512x16384xf32>) -> tensor<1024x16384xf32> {
    %product = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x16384xf32>) -> tensor<1024x16384xf32>
    kernel.fused %product : tensor<1024x16384xf32>
  }
  return %1 : tensor<1024x16384xf32>
}

// Two kernels that compute the same square: one does it once.
// CHECK-LABEL: func.func @equal
// CHECK: kernel.fusion "reduce" (%[[A:.*]] = %arg0)
// CHECK: %[[SQUARE:.*]] = stablehlo.multiply %[[A]], %[[A]]
// CHECK-NOT: stablehlo.multiply
// CHECK: stablehlo.reduce(%[[SQUARE]] {{.*}} stablehlo.add
// CHECK-NOT: stablehlo.multiply
// CHECK: stablehlo.reduce(%[[SQUARE]] {{.*}} stablehlo.maximum
// CHECK-NOT: kernel.fusion
// CHECK: return
func.func @equal(%x: tensor<4096x256xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = kernel.fusion "reduce" (%a = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %square = stablehlo.multiply %a, %a : tensor<4096x256xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %sum : tensor<4096xf32>
  }
  %1 = kernel.fusion "reduce" (%b = %x) : (tensor<4096x256xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %square = stablehlo.multiply %b, %b : tensor<4096x256xf32>
    %max = stablehlo.reduce(%square init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4096x256xf32>, tensor<f32>) -> tensor<4096xf32>
    kernel.fused %max : tensor<4096xf32>
  }
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}

// A condition reads what the loop carries, and overwrites nothing.
// CHECK-LABEL: func.func @condition
// CHECK: cond {
// CHECK: kernel.fusion "copy"
// CHECK: kernel.fusion "reduce"
// CHECK: stablehlo.multiply
// CHECK-NOT: kernel.fusion
// CHECK: do {
func.func @condition(%n: tensor<i32>, %x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<1024xf32>
  cond {
    %1 = kernel.fusion "loop" (%a = %v) : (tensor<1024xf32>) -> tensor<1024xf32> {
      %square = stablehlo.multiply %a, %a : tensor<1024xf32>
      kernel.fused %square : tensor<1024xf32>
    }
    %2 = kernel.fusion "copy" (%a = %x, %j = %i) : (tensor<1024xf32>, tensor<i32>) -> tensor<128xf32> {
      %part = stablehlo.dynamic_slice %a, %j, sizes = [128] : (tensor<1024xf32>, tensor<i32>) -> tensor<128xf32>
      kernel.fused %part : tensor<128xf32>
    }
    %3 = kernel.fusion "reduce" (%a = %1, %b = %2) : (tensor<1024xf32>, tensor<128xf32>) -> tensor<i1> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
      %other = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<128xf32>, tensor<f32>) -> tensor<f32>
      %less = stablehlo.compare LT, %sum, %other : (tensor<f32>, tensor<f32>) -> tensor<i1>
      kernel.fused %less : tensor<i1>
    }
    stablehlo.return %3 : tensor<i1>
  } do {
    %1 = kernel.fusion "loop" (%a = %v) : (tensor<1024xf32>) -> tensor<1024xf32> {
      %sum = stablehlo.add %a, %a : tensor<1024xf32>
      kernel.fused %sum : tensor<1024xf32>
    }
    stablehlo.return %i, %1 : tensor<i32>, tensor<1024xf32>
  }
  return %0#1 : tensor<1024xf32>
}
