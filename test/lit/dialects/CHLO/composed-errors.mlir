// Verifier errors of loops and contractions.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{requires one ragged dimension, but they are []}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{contracting dimension 0 of lhs has size 8, but its counterpart 1 of rhs has size 4}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{requires 1 group dimensions, but they are []}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<4xi32>) {
  // expected-error@+1 {{requires a group dimension of as many elements as groups, 4, but it has 3}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<4xi32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %n: tensor<2x3xi32>) {
  // expected-error@+1 {{requires group_sizes of shape [3], but they are 'tensor<2x3xi32>'}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<2x3xi32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{requires a result of type 'tensor<3x4x5xf32>', but it is 'tensor<4x5xf32>'}}
  %0 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<8x4xf32>, tensor<8x5xf32>, tensor<3xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%s: tensor<8xf32>) {
  // expected-error@+1 {{requires scan_dim_size, as there are no inputs}}
  %y, %last = chlo.scan() inits (%s) dimension=0 {
  ^bb0(%c: tensor<8xf32>):
    stablehlo.return %c, %c : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>) -> (tensor<5x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @bad(%s: tensor<8xf32>) {
  // expected-error@+1 {{requires an input or an output}}
  %last = chlo.scan() inits (%s) dimension=0 attributes {scan_dim_size = 5 : i64} {
  ^bb0(%c: tensor<8xf32>):
    stablehlo.return %c : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %z: tensor<5x8xf32>) {
  // expected-error@+1 {{requires 4 elements along dimension 0, but there are 5}}
  %y = chlo.scan(%x, %z) inits () dimension=0 {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    stablehlo.return %a : tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{requires a body of arguments}}
  %y = chlo.scan(%x) inits () dimension=0 {
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %a : tensor<4xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error@+1 {{requires a body that returns}}
  %y, %last = chlo.scan(%x) inits (%s) dimension=0 {
  ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
    stablehlo.return %a : tensor<8xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @bad() {
  // expected-error@+1 {{requires a result of type 'tensor<2xf32>', but it is 'tensor<3xf32>'}}
  %0 = "chlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}
