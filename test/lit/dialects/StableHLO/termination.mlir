// Loops that certainly end and whose results nobody reads are dropped, all others are not.
// RUN: %systole-opt %s --cse | FileCheck %s

// Steps of one reach any limit.
// CHECK-LABEL: @up_by_one(
// CHECK-NOT: stablehlo.while
func.func @up_by_one(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// CHECK-LABEL: @down_by_one(
// CHECK-NOT: stablehlo.while
func.func @down_by_one(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<-1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare GT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// CHECK-LABEL: @subtract_one(
// CHECK-NOT: stablehlo.while
func.func @subtract_one(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare GT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// Every number may be at most the limit.
// CHECK-LABEL: @up_to_itself(
// CHECK: stablehlo.while
func.func @up_to_itself(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare LE, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// Unknown limits may be too near to the end for larger steps and other directions.
// CHECK-LABEL: @away(
// CHECK: stablehlo.while
func.func @away(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<-1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// CHECK-LABEL: @two_at_a_time(
// CHECK: stablehlo.while
func.func @two_at_a_time(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// 126 is below the limit, and 126 + 2 wraps around.
// CHECK-LABEL: @two_to_the_last(
// CHECK: stablehlo.while
func.func @two_to_the_last(%n: tensor<i8>) {
  %limit = stablehlo.constant dense<127> : tensor<i8>
  %step = stablehlo.constant dense<2> : tensor<i8>
  %r = stablehlo.while(%i = %n) : tensor<i8>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i8>
    stablehlo.return %next : tensor<i8>
  }
  return
}

// Modulo 2^32, steps of one meet the limit and larger ones may not.
// CHECK-LABEL: @not_equal(
// CHECK-NOT: stablehlo.while
func.func @not_equal(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare NE, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// CHECK-LABEL: @not_equal_by_two(
// CHECK: stablehlo.while
func.func @not_equal_by_two(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare NE, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// CHECK-LABEL: @equal(
// CHECK-NOT: stablehlo.while
func.func @equal(%n: tensor<i32>, %limit: tensor<i32>) {
  %step = stablehlo.constant dense<2> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare EQ, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// No step at all.
// CHECK-LABEL: @standstill(
// CHECK: stablehlo.while
func.func @standstill(%n: tensor<i32>) {
  %limit = stablehlo.constant dense<7> : tensor<i32>
  %step = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}

// 99 + 5 is a number of eight bits, 99 + 50 is none.
// CHECK-LABEL: @five_at_a_time(
// CHECK-NOT: stablehlo.while
func.func @five_at_a_time(%n: tensor<i8>) {
  %limit = stablehlo.constant dense<100> : tensor<i8>
  %step = stablehlo.constant dense<5> : tensor<i8>
  %r = stablehlo.while(%i = %n) : tensor<i8>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i8>
    stablehlo.return %next : tensor<i8>
  }
  return
}

// CHECK-LABEL: @fifty_at_a_time(
// CHECK: stablehlo.while
func.func @fifty_at_a_time(%n: tensor<i8>) {
  %limit = stablehlo.constant dense<100> : tensor<i8>
  %step = stablehlo.constant dense<50> : tensor<i8>
  %r = stablehlo.while(%i = %n) : tensor<i8>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %step : tensor<i8>
    stablehlo.return %next : tensor<i8>
  }
  return
}

// 5 - 3 does not wrap around, 2 - 3 does.
// CHECK-LABEL: @unsigned_down(
// CHECK-NOT: stablehlo.while
func.func @unsigned_down(%n: tensor<ui8>) {
  %limit = stablehlo.constant dense<5> : tensor<ui8>
  %step = stablehlo.constant dense<3> : tensor<ui8>
  %r = stablehlo.while(%i = %n) : tensor<ui8>
  cond {
    %p = stablehlo.compare GE, %i, %limit, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %step : tensor<ui8>
    stablehlo.return %next : tensor<ui8>
  }
  return
}

// CHECK-LABEL: @unsigned_down_too_far(
// CHECK: stablehlo.while
func.func @unsigned_down_too_far(%n: tensor<ui8>) {
  %limit = stablehlo.constant dense<2> : tensor<ui8>
  %step = stablehlo.constant dense<3> : tensor<ui8>
  %r = stablehlo.while(%i = %n) : tensor<ui8>
  cond {
    %p = stablehlo.compare GE, %i, %limit, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.subtract %i, %step : tensor<ui8>
    stablehlo.return %next : tensor<ui8>
  }
  return
}

// CHECK-LABEL: @always(
// CHECK: stablehlo.while
func.func @always() {
  stablehlo.while() cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// CHECK-LABEL: @never(
// CHECK-NOT: stablehlo.while
func.func @never() {
  stablehlo.while() cond {
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// A loop that depends on data terminates if a counter bounds it.
// CHECK-LABEL: @data(
// CHECK: stablehlo.while
// CHECK-NOT: stablehlo.while
// CHECK: return
func.func @data(%n: tensor<i32>, %x: tensor<f32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %a = stablehlo.while(%y = %x) : tensor<f32>
  cond {
    %p = stablehlo.compare GT, %y, %half, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %z = stablehlo.multiply %y, %half : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }
  %b:3 = stablehlo.while(%i = %one, %limit = %n, %y = %x) : tensor<i32>, tensor<i32>, tensor<f32>
  cond {
    %p = stablehlo.compare GT, %y, %half, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = stablehlo.compare GT, %limit, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %p, %q : tensor<i1>
    stablehlo.return %both : tensor<i1>
  } do {
    %next = stablehlo.add %one, %i : tensor<i32>
    %z = stablehlo.multiply %y, %half : tensor<f32>
    stablehlo.return %next, %limit, %z : tensor<i32>, tensor<i32>, tensor<f32>
  }
  return
}

// A limit that moves along is never reached.
// CHECK-LABEL: @chase(
// CHECK: stablehlo.while
func.func @chase(%n: tensor<i32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %one, %limit = %n) : tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %further = stablehlo.add %limit, %one : tensor<i32>
    stablehlo.return %next, %further : tensor<i32>, tensor<i32>
  }
  return
}

// A loop around one that may not end may not end either.
// CHECK-LABEL: @around(
// CHECK: stablehlo.while
// CHECK: stablehlo.while
func.func @around(%n: tensor<i32>, %p: tensor<i1>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %one) : tensor<i32>
  cond {
    %q = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %q : tensor<i1>
  } do {
    stablehlo.while() cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return
    }
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}
