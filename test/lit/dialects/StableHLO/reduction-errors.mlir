// Verifier errors of reductions.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: reduce C4
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{dimension 2 in dimensions is out of range for rank-2 operand}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [2] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C5
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{dimension 1 occurs twice in dimensions [1, 1]}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C7
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires results of the kept dimensions, 'tensor<8xf32>', but result #0 is 'tensor<4xf32>'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C1
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>, %y: tensor<4x9xf32>) {
  // expected-error@+1 {{requires the same shape for all inputs, but input #0 is 'tensor<4x8xf32>' and input #1 is 'tensor<4x9xf32>'}}
  %0:2 = stablehlo.reduce(%x init: %s), (%y init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x9xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{requires an initial value of rank 0 or of sizes among [4], but it is 'tensor<1xf32>'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C3
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires as many results as inputs, but has 1 inputs and 2 results}}
  %0:2 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C3
func.func @bad() {
  // expected-error@+1 {{requires at least one input}}
  "stablehlo.reduce"() <{dimensions = array<i64: 0>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires a body with 2 arguments, two per input, but it has 1}}
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires a body that returns 1 values, one per input, but it returns 2}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires 'tensor<f32>' for argument #1 of the body, after result #0, but it is 'tensor<f64>'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f64>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{requires 'tensor<f32>' for value #0 that the body returns, after result #0, but it is 'tensor<i1>'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xi32>, %s: tensor<i32>) {
  // expected-error@+1 {{cannot reduce 'tensor<4x8xi32>' to elements of type 'f32'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C6
func.func @bad(%x: tensor<4x8xf64>, %s: tensor<f32>) {
  // expected-error@+1 {{cannot reduce 'tensor<4x8xf64>' to elements of type 'f32'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf64>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

// Breaks: reduce C2
func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{cannot reduce 'tensor<f64>' to elements of type 'f32'}}
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f64>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    stablehlo.return %a : tensor<f32>
  }
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.subtract' cannot be applied, as it is not a commutative stablehlo operation of two operands and one result}}
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.subtract across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.abs' cannot be applied}}
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.abs across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{'arith.addf' cannot be applied}}
  %0 = stablehlo.reduce(%x init: %s) applies arith.addf across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{expected 'init'}}
  %0 = stablehlo.reduce(%x, %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-error@+1 {{expected 'reducer'}}
  return
  return
}

// -----

// Breaks: reduce C8
func.func @bad(%x: tensor<4x8xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce' op requires 'tensor<f64>' for argument #0 of the body, after result #0, but it is 'tensor<f32>'}}
  %0 = "stablehlo.reduce"(%x, %y) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf64>
  return
}
