// Verifier errors of windows and of the types of their results.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: reduce_window C6
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window_strides must have one entry per dimension of the inputs, but has 2 for rank 3}}
  %0 = "stablehlo.reduce_window"(%x, %y) <{window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C9
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op base_dilations must be positive, but is [1, 0, 1]}}
  %0 = "stablehlo.reduce_window"(%x, %y) <{window_dimensions = array<i64: 1, 1, 1>, base_dilations = array<i64: 1, 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C10
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op window_dilations must have one entry per dimension of the inputs, but has 2 for rank 3}}
  %0 = "stablehlo.reduce_window"(%x, %y) <{window_dimensions = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: reduce_window C14
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x8x3xf32>, %z: tensor<f32>, %u: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op requires one element per position of the window, 'tensor<2x8x3xf32>', in result #1}}
  %0:2 = "stablehlo.reduce_window"(%x, %y, %z, %u) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x8x3xf32>, tensor<2x7x3xf32>)
  return
}

// -----

// Breaks: reduce_window C16
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.reduce_window' op requires 'tensor<f64>' for argument #0 of the body, after result #0, but it is 'tensor<f32>'}}
  %0 = "stablehlo.reduce_window"(%x, %y) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf64>
  return
}

// -----

// Breaks: select_and_scatter C4
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x8x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op window_dimensions must have one entry per dimension of the operand, but has 2 for rank 3}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C5
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x8x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op window_dimensions must be positive, but is [1, 0, 1]}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 1, 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C7
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x8x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op window_strides must be positive, but is [1, 1, 0]}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 1, 1, 1>, window_strides = array<i64: 1, 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: select_and_scatter C12
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<2x8x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.select_and_scatter' op requires 'tensor<f64>' for argument #0 of the scatter, after result #0, but it is 'tensor<f32>'}}
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) <{window_dimensions = array<i64: 1, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x8x3xf32>, tensor<2x8x3xf32>, tensor<f32>) -> tensor<2x8x3xf64>
  return
}
