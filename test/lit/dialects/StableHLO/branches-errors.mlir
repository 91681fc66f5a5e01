// Verifier errors of branches and calls.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: case C2
func.func @bad(%i: tensor<i32>) {
  // expected-error@+1 {{'stablehlo.case' op requires 0 arguments of branch #0, but there are 1}}
  %0 = "stablehlo.case"(%i) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// Breaks: case C4
func.func @bad(%i: tensor<i32>, %x: tensor<f32>) {
  // expected-error@+1 {{'stablehlo.case' op requires 'tensor<i32>' for #0 of the values that branch #0 returns, but it is 'tensor<f32>'}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// Breaks: map C2
func.func @bad() {
  // expected-error@+1 {{'stablehlo.map' op requires an input}}
  %0 = "stablehlo.map"() <{dimensions = array<i64>}> ({
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : () -> tensor<f32>
  return
}

// -----

// Breaks: composite C3
func.func private @part(tensor<4xf32>) -> tensor<4xf32>
func.func @bad(%x: tensor<5xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires 'tensor<4xf32>' for #0 of the inputs, but it is 'tensor<5xf32>'}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @part} : (tensor<5xf32>) -> tensor<4xf32>
  return
}
