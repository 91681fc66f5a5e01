// Verifier errors of control flow.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

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

func.func @bad(%i: tensor<i32>) {
  // expected-error@+1 {{requires at least one branch}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

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

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires the same type for operand and result, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<4xf64>'}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires as many results as operands, but has 1 operands and 0 results}}
  "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a function as its decomposition, but 'nothing' is none}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @nothing} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires 'tensor<4xf32>' for #0 of the results, but it is 'tensor<5xf32>'}}
  %0 = stablehlo.composite "my.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'op'}}
  %0 = stablehlo.composite "op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is '9a.op'}}
  %0 = stablehlo.composite "9a.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my.op!'}}
  %0 = stablehlo.composite "my.op!" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my..op'}}
  %0 = stablehlo.composite "my..op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.composite' op requires a name of letters, digits and '_' with a namespace, as in 'my.op', but it is 'my-space.op'}}
  %0 = stablehlo.composite "my-space.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires dimensions to list all 1 dimensions in order, but they are [1]}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires 2 arguments of computation, but there are 1}}
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires 'tensor<i32>' for #0 of the values that computation returns, but it is 'tensor<f32>'}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.map' op requires the same shape for all inputs and the result, but there are 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires attribute 'call_target_name'}}
  "stablehlo.custom_call"(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires api_version to be from 0 to 4, but it is 5}}
  stablehlo.custom_call @f(%x) {api_version = 5 : i32} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires layouts of both operands and results, or of neither}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires result_layouts to have 0 layouts, but it has 1}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op dimension 0 occurs twice in operand_layouts [0, 0]}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<2xindex>], result_layouts = []} : (tensor<4x2xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4x2xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts to have a list of 2 dimensions for 'tensor<4x2xf32>'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tensor<4x2xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires backend_config to be a dictionary if api_version is 4, else a string}}
  stablehlo.custom_call @f(%x) {backend_config = {}} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @bad(%x: tuple<tensor<4xf32>, tensor<i32>>) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts of arrays and tokens, but there is 'tuple<tensor<4xf32>, tensor<i32>>'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (tuple<tensor<4xf32>, tensor<i32>>) -> ()
  return
}

// -----

func.func @bad(%x: !stablehlo.token) {
  // expected-error@+1 {{'stablehlo.custom_call' op requires operand_layouts to have a list of 0 dimensions for '!stablehlo.token'}}
  stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = []} : (!stablehlo.token) -> ()
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has an alias of operand #1, but there are 1}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tuple<tensor<4xf32>, tensor<i32>>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has no element [2] in operand #0, 'tuple<tensor<4xf32>, tensor<i32>>'}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [2]>]} : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op has no element [-1] among its results, 'tuple<tensor<4xf32>, tensor<i32>>'}}
  %0:2 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [-1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.custom_call' op cannot give the memory of 'tensor<4xf32>' to a result of type 'tensor<i32>'}}
  %0:2 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{unknown field 'operand', expected one of output_tuple_indices, operand_index, operand_tuple_indices}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<operand = 0>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
