// RUN: %systole-opt %s --systole-unroll-loops --split-input-file | FileCheck %s

// 0, 1 and 2: three iterations, in order. The counter ends as 3, the third of its sums.
// CHECK-LABEL: @up
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NOT: stablehlo.while
// CHECK: %[[A:.*]] = stablehlo.negate %[[X]]
// CHECK: %[[ONE:.*]] = stablehlo.constant dense<1>
// CHECK: %[[I:.*]] = stablehlo.add %{{.*}}, %[[ONE]]
// CHECK: %[[B:.*]] = stablehlo.negate %[[A]]
// CHECK: %[[J:.*]] = stablehlo.add %[[I]],
// CHECK: %[[C:.*]] = stablehlo.negate %[[B]]
// CHECK: %[[K:.*]] = stablehlo.add %[[J]],
// CHECK-NOT: stablehlo
// CHECK: return %[[K]], %[[C]]
func.func @up(%x: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<8xf32>
}

// -----

// 1, -1 and -3, while at least -4: the order is that of signed numbers. The step is the first operand.
// CHECK-LABEL: @down
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-3: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @down(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<1> : tensor<i32>
  %last = stablehlo.constant dense<-4> : tensor<i32>
  %step = stablehlo.constant dense<-2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare GE, %i, %last, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %step, %i : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// 2 and 1, while more than 0.
// CHECK-LABEL: @greater
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-2: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @greater(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare GT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// 0, 2 and 4: the bound itself is the last.
// CHECK-LABEL: @less_or_equal
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-3: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @less_or_equal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<0> : tensor<i64>
  %last = stablehlo.constant dense<4> : tensor<i64>
  %step = stablehlo.constant dense<2> : tensor<i64>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i64>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LE, %i, %last, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i64>
    stablehlo.return %next, %n : tensor<i64>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// 0, 3, 6 and 9, until the counter is 12.
// CHECK-LABEL: @not_equal
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-4: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @not_equal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<12> : tensor<i32>
  %step = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare NE, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// 3 of 16 threes are 0 modulo 2^4 at the earliest: the step never meets the bound on its way, and the
// loop ends where the counter wraps around, too late to be unrolled.
// CHECK-LABEL: @never_equal
// CHECK: stablehlo.while
func.func @never_equal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<10> : tensor<i32>
  %step = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare NE, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// 126, then 127 + 1 is -128, which is less than 127, and so are the 255 numbers behind: too many. Of
// unsigned numbers 253, 254 and 255 are at least 3, and 0 is not.
// CHECK-LABEL: @signed_wrap
// CHECK: stablehlo.while
// CHECK-LABEL: @unsigned_wrap
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-3: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @signed_wrap(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<126> : tensor<i8>
  %end = stablehlo.constant dense<127> : tensor<i8>
  %step = stablehlo.constant dense<2> : tensor<i8>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i8>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %o = stablehlo.abs %n : tensor<8xf32>
    %q = stablehlo.cosine %o : tensor<8xf32>
    %s = stablehlo.sine %q : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i8>
    stablehlo.return %next, %s : tensor<i8>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @unsigned_wrap(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<253> : tensor<ui8>
  %end = stablehlo.constant dense<3> : tensor<ui8>
  %step = stablehlo.constant dense<1> : tensor<ui8>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<ui8>, tensor<8xf32>
  cond {
    %p = stablehlo.compare GE, %i, %end, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<ui8>
    stablehlo.return %next, %n : tensor<ui8>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// A loop whose body never runs gives what it starts from, EQ one iteration.
// CHECK-LABEL: @zero_trips
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NOT: stablehlo.while
// CHECK-NOT: stablehlo.negate
// CHECK: return %[[X]]
// CHECK-LABEL: @equal
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-1: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @zero_trips(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %start, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @equal(%x: tensor<8xf32>) -> tensor<8xf32> {
  %start = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare EQ, %i, %start, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// Values that change places: (a, b, c) is (b, c, a) after one iteration and (c, a, b) after two. None is
// computed; only the counter is.
// CHECK-LABEL: @permutation
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>
// CHECK-NOT: stablehlo.while
// CHECK: return %[[C]], %[[A]], %[[B]]
func.func @permutation(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %x = %a, %y = %b, %z = %c) : tensor<i32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y, %z, %x : tensor<i32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Two iterations of two, the inner ones first. What the outer loop's body reads of its own counter
// is the value of its iteration.
// CHECK-LABEL: @nested
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>
// CHECK-NOT: stablehlo.while
// CHECK: %[[P:.*]] = stablehlo.broadcast_in_dim %[[I:.*]], dims = []
// CHECK: %[[A:.*]] = stablehlo.add %[[X]], %[[P]]
// CHECK: %[[Q:.*]] = stablehlo.broadcast_in_dim %[[I]], dims = []
// CHECK: %[[B:.*]] = stablehlo.add %[[A]], %[[Q]]
// CHECK: %[[J:.*]] = stablehlo.add %[[I]],
// CHECK: %[[R:.*]] = stablehlo.broadcast_in_dim %[[J]], dims = []
// CHECK: %[[C:.*]] = stablehlo.add %[[B]], %[[R]]
// CHECK: %[[S:.*]] = stablehlo.broadcast_in_dim %[[J]], dims = []
// CHECK: %[[D:.*]] = stablehlo.add %[[C]], %[[S]]
// CHECK-NOT: stablehlo.broadcast_in_dim
// CHECK: return %[[D]]
func.func @nested(%x: tensor<8xi32>) -> tensor<8xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xi32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s:2 = stablehlo.while(%j = %zero, %w = %v) : tensor<i32>, tensor<8xi32>
    cond {
      %p = stablehlo.compare LT, %j, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %all = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %sum = stablehlo.add %w, %all : tensor<8xi32>
      %next = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<8xi32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %s#1 : tensor<i32>, tensor<8xi32>
  }
  return %r#1 : tensor<8xi32>
}

// -----

// The inner loop has a bound that is not known, and stays, and so does the loop around it.
// CHECK-LABEL: @unknown_bound
// CHECK: stablehlo.while
// CHECK: stablehlo.while
func.func @unknown_bound(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s:2 = stablehlo.while(%j = %zero, %w = %v) : tensor<i32>, tensor<8xf32>
    cond {
      %p = stablehlo.compare LT, %j, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.negate %w : tensor<8xf32>
      %next = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %next, %m : tensor<i32>, tensor<8xf32>
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %s#1 : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// Neither start nor step may be computed, nor may the counter be more than a sum.
// CHECK-LABEL: @unknown_start
// CHECK: stablehlo.while
// CHECK-LABEL: @unknown_step
// CHECK: stablehlo.while
// CHECK-LABEL: @no_sum
// CHECK: stablehlo.while
// CHECK-LABEL: @other_counter
// CHECK: stablehlo.while
func.func @unknown_start(%x: tensor<8xf32>, %start: tensor<i32>) -> tensor<8xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @unknown_step(%x: tensor<8xf32>, %step: tensor<i32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @no_sum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %one, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.multiply %i, %two : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @other_counter(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %j = %zero, %v = %x) : tensor<i32>, tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %j, %one : tensor<i32>
    stablehlo.return %next, %next, %n : tensor<i32>, tensor<i32>, tensor<8xf32>
  }
  return %r#2 : tensor<8xf32>
}

// -----

// The condition depends on more than the counter.
// CHECK-LABEL: @two_conditions
// CHECK: stablehlo.while
func.func @two_conditions(%x: tensor<8xf32>, %go: tensor<i1>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = stablehlo.and %p, %go : tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// Sums, and kernels with windows, are kernels of their own in each iteration: the loop stays.
// CHECK-LABEL: @sum
// CHECK: stablehlo.while
// CHECK: stablehlo.reduce
// CHECK-NOT: stablehlo.reduce
// CHECK-LABEL: @window
// CHECK: stablehlo.while
func.func @sum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.reduce(%v init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %n = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @window(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = stablehlo.dynamic_slice %v, %i, sizes = [1] : (tensor<8xf32>, tensor<i32>) -> tensor<1xf32>
    %n = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<1xf32>) -> tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}

// -----

// Two operations an iteration: 256 iterations have 512, 257 are too many.
// CHECK-LABEL: @at_most
// CHECK-NOT: stablehlo.while
// CHECK-COUNT-256: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
// CHECK-LABEL: @too_many
// CHECK: stablehlo.while
func.func @at_most(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %bound = stablehlo.constant dense<256> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func @too_many(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %bound = stablehlo.constant dense<257> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %p = stablehlo.compare LT, %i, %bound, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.negate %v : tensor<8xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %n : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
