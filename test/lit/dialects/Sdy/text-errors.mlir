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
