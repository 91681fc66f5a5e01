// Verifier errors of sorting.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: sort C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension 2 is out of range for rank-2 inputs}}
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: sort C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension -3 is out of range for rank-2 inputs}}
  %0 = "stablehlo.sort"(%x) <{dimension = -3 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: sort C4
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{dimension -1 is out of range for rank-0 inputs}}
  %0 = "stablehlo.sort"(%s) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// Breaks: sort C3
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires the same shape for all operands and results, but operand #0 is 'tensor<4x8xf32>' and operand #1 is 'tensor<4xi32>'}}
  %0:2 = "stablehlo.sort"(%x, %i) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<4x8xf32>, tensor<4xi32>)
  return
}

// -----

// Breaks: sort C2
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires the same type for operand and result, but operand #0 is 'tensor<4x8xf32>' and result #0 is 'tensor<4x8xi32>'}}
  %0 = "stablehlo.sort"(%x) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xi32>
  return
}

// -----

// Breaks: sort C5
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires a comparator with 2 arguments, two per input, but it has 1}}
  %0 = "stablehlo.sort"(%x) <{}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: sort C5
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires 'tensor<f32>' for argument #1 of the comparator, after input #0, but it is 'tensor<i32>'}}
  %0 = "stablehlo.sort"(%x) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: sort C5
func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires a comparator that returns one 'tensor<i1>'}}
  %0 = "stablehlo.sort"(%x) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Breaks: sort C1
// expected-error@+1 {{requires at least one input}}
"stablehlo.sort"() ({
  %p = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.return %p : tensor<i1>
}) : () -> ()
