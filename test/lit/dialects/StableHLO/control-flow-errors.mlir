// Verifier errors of control flow.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: if C3
func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 1 values that true_branch returns, but there are 0}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// Breaks: if C2
func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 'tensor<4xf32>' for #0 of the values that false_branch returns, but it is 'tensor<i1>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// Breaks: if C1
func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 0 arguments of true_branch, but there are 1}}
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%a: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<4xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{operand #0 must be 0D tensor of i1 values, but got 'tensor<4xi1>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<4xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{region #1 ('false_branch') failed to verify constraint: region with 1 blocks}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{expects region #0 to have 0 or 1 blocks}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  ^bb1:
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{expected 2 regions}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// Breaks: case C1
func.func @bad(%i: tensor<i32>) {
  // expected-error@+1 {{requires at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

// Breaks: case C3
func.func @bad(%i: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 'tensor<4xf32>' for #0 of the values that branch #1 returns, but it is 'tensor<i32>'}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%i: tensor<i64>, %x: tensor<4xf32>) {
  // expected-error@+1 {{operand #0 must be 0D tensor of 32-bit signless integer values, but got 'tensor<i64>'}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: while C1
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 'tensor<i1>' for #0 of the values that cond returns, but it is 'tensor<i32>'}}
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    stablehlo.return %i : tensor<i32>
  } do {
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// Breaks: while C1
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 1 values that cond returns, but there are 2}}
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    stablehlo.return %i, %i : tensor<i32>, tensor<i32>
  } do {
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// Breaks: while C2
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 2 values that body returns, but there are 1}}
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return
}

// -----

// Breaks: while C2
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 'tensor<4xf32>' for #1 of the values that body returns, but it is 'tensor<i32>'}}
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %i : tensor<i32>, tensor<i32>
  }
  return
}

// -----

// Breaks: while C1
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 2 arguments of cond, but there are 1}}
  %0:2 = "stablehlo.while"(%n, %x) ({
  ^bb0(%i: tensor<i32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return
}

// -----

// Breaks: while C2
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires 'tensor<4xf32>' for #1 of the arguments of body, but it is 'tensor<4xf64>'}}
  %0:2 = "stablehlo.while"(%n, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf64>):
    stablehlo.return %n, %x : tensor<i32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return
}

// -----

// Breaks: while C3
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires as many results as operands, but has 2 operands and 1 results}}
  %0 = "stablehlo.while"(%n, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>) -> tensor<i32>
  return
}

// -----

// Breaks: while C3
func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same type for operand and result, but operand #1 is 'tensor<4xf32>' and result #1 is 'tensor<i32>'}}
  %0:2 = "stablehlo.while"(%n, %x) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4xf32>):
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{number of operands and types do not match: got 2 operands and 1 types}}
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %a : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

func.func @bad(%n: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }
  // expected-error@+1 {{expected 'do'}}
  return
}

// -----

module {
  // expected-error@+1 {{must end a region of a stablehlo operation or a function}}
  stablehlo.return
}

// -----

// Breaks: optimization_barrier C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same type for operand and result, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Breaks: optimization_barrier C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires as many results as operands, but has 1 operands and 0 results}}
  "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// Breaks: map C3
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires dimensions to list all 1 dimensions in order, but they are [1]}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: map C4
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires 2 arguments of computation, but there are 1}}
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: map C4
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires 'tensor<i32>' for #0 of the values that computation returns, but it is 'tensor<f32>'}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// Breaks: map C1
func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires the same shape for all inputs and the result, but there are 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
