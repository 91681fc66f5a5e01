// Verifier errors of sliding windows.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires attribute 'window_dimensions'}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C4
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{window_dimensions must have one entry per dimension of the inputs, but has 2 for rank 3}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C5
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{window_dimensions must be positive, but is [1, 0, 1]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C7
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{window_strides must be positive, but is [1, 1, -1]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 1, -1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C8
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{base_dilations must have one entry per dimension of the inputs, but has 1 for rank 3}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>, base_dilations = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C11
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{window_dilations must be positive, but is [0, 1, 1]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>, window_dilations = array<i64: 0, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C12
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{padding must have 2 entries for each of 3 dimensions of the inputs, but has shape [6]}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>, padding = dense<0> : tensor<6xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{has a padded dimension of 2^62 elements or more}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [4611686018427387904, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C15
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires one element per position of the window, 'tensor<2x6x3xf32>', in result #0, but it is 'tensor<2x8x3xf32>'}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 3, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C2
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires the same shape for all inputs, but input #0 is 'tensor<2x8x3xf32>' and input #1 is 'tensor<2x7x3xf32>'}}
  %0:2 = "stablehlo.reduce_window"(%x, %y, %s, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x7x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x8x3xf32>, tensor<2x8x3xf32>)
  return
}

// -----

// Breaks: reduce_window C1
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires as many results as inputs, but has 1 inputs and 2 results}}
  %0:2 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> (tensor<2x8x3xf32>, tensor<2x8x3xf32>)
  return
}

// -----

// Breaks: reduce_window C13
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires a body with 2 arguments, two per input, but it has 1}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C13
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires a body that returns 1 values, one per input, but it returns 2}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a, %a : tensor<f32>, tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C13
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{requires 'tensor<f32>' for argument #1 of the body, after result #0, but it is 'tensor<i32>'}}
  %0 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C3
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x7x3xf32>, %s: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{cannot reduce 'tensor<i32>' to elements of type 'f32'}}
  %0 = "stablehlo.reduce_window"(%x, %n) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<i32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C1
// expected-error@+1 {{requires at least one input}}
"stablehlo.reduce_window"() <{window_dimensions = array<i64>}> ({
  stablehlo.return
}) : () -> ()

// -----

func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires window_dimensions}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C6
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{window_strides must have one entry per dimension of the operand, but has 2 for rank 3}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C8
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{padding must have 2 entries for each of 3 dimensions of the operand, but has shape [3, 1]}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>, padding = dense<0> : tensor<3x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C2
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires one element per position of the window, 'tensor<2x7x3xf32>', in source, but it is 'tensor<2x8x3xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C1
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xbf16>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires the same element type for operand and source, but they are 'tensor<2x8x3xf32>' and 'tensor<2x8x3xbf16>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xbf16>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C11
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires a result of the operand's shape, 'tensor<2x8x3xf32>', but it is 'tensor<2x9x3xf32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x9x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C9
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires 2 arguments of select, but there are 1}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C9
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires 'tensor<f32>' for argument #1 of select, after the operand, but it is 'tensor<i32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C9
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires select to return one 'tensor<i1>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C10
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{requires 'tensor<f32>' for value #0 that the scatter returns, after result #0, but it is 'tensor<i1>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %s) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C3
func.func @bad(%x: tensor<2x8x3xf32>, %g: tensor<2x8x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %p: tensor<i1>) {
  // expected-error@+1 {{cannot reduce 'tensor<i32>' to elements of type 'f32'}}
  %0 = "stablehlo.select_and_scatter"(%x, %g, %n) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<i32>) -> tensor<2x8x3xf32>
  return
}
