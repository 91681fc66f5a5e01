// RUN: %systole-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected '['}}
sdy.mesh @mesh = <"x"=1>

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected a priority, such as p1}}
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}q1]> : tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'replicated' or 'unreduced'}}
  %0 = sdy.sharding_constraint %x <@mesh, [{"x"}], divided={"x"}> : tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'in_shardings'}}
  %0 = sdy.manual_computation(%x) manual_axes={"x"} (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.return' op must be the last operation in the parent block}}
  sdy.return %x : tensor<8xf32>
  return %x : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'sdy.return' op expects a parent op of the dialect 'sdy'}}
  sdy.return %x : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected factors from i to z, z_1, z_2, ...}}
  stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([a])->()>} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected the sizes of all factors, from i on}}
  stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->() {j=8}>} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected one factor}}
  stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->() {i=8} reduction={ij}>} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: requires a mapping for each of 1 operands, but there are 2}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=8}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: requires a mapping for each of 1 results, but there are 2}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has 1 dimensions, but its mapping has 2}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=1}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: there are 1 factors with a size, and factor j is not among them}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: factor i has size -8}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=-8}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: factor j is in no operand and no result}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8, j=2}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has factor i twice}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ii])->([i]) {i=8}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has factor j of size 1 in a dimension of several factors}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([i]) {i=8, j=1}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has a dimension without factors}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<[8], [#sdy.tensor_mapping<[#sdy.dim_mapping<[]>]>], [#sdy.tensor_mapping<[#sdy.dim_mapping<[0]>]>], [], [], [], [], 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has no tensor_mapping}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<[8], [#sdy.dim_mapping<[0]>], [#sdy.tensor_mapping<[#sdy.dim_mapping<[0]>]>], [], [], [], [], 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: operand 0 has no dim_mapping}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<[8], [#sdy.tensor_mapping<[1]>], [#sdy.tensor_mapping<[#sdy.dim_mapping<[0]>]>], [], [], [], [], 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: there are 1 factors with a size, and factor -1 is not among them}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<[8], [#sdy.tensor_mapping<[#sdy.dim_mapping<[-1]>]>], [#sdy.tensor_mapping<[#sdy.dim_mapping<[0]>]>], [], [], [], [], 0>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: requires the factors of reduction in ascending order}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=4, j=2} reduction={j, i}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: factor j is of more than one kind of reduction, need_replication and permutation}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=4, j=2} reduction={j} permutation={j}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: there are 1 factors with a size, and factor k is not among them}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={k}>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: result 0 is no tensor of a static shape}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: expects an op_sharding_rule}}
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: is for operations with operands and results, but there is no result}}
  stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->() {i=8}>, has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @main(%x: tensor<8xf32>) {
  // expected-error@+1 {{sdy.sharding_rule: only custom calls have custom rules}}
  %0 = stablehlo.negate %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : tensor<8xf32>
  return
}
