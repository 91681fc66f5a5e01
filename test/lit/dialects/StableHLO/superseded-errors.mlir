// Verifier errors of operations that newer ones supersede.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<4x8x2xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{'stablehlo.dot' op requires one or two dimensions of lhs, but it is 'tensor<4x8x2xf32>'}}
  %0 = stablehlo.dot %x, %y : (tensor<4x8x2xf32>, tensor<2xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<7xf32>) {
  // expected-error@+1 {{requires the same size of the last dimension of lhs and the first of rhs, but they are 8 and 7}}
  %0 = stablehlo.dot %x, %y : (tensor<4x8xf32>, tensor<7xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{requires a result of the other dimensions, 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = stablehlo.dot %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{precision_config has 3 entries, but there are 2 operands}}
  %0 = stablehlo.dot %x, %y, precision = [HIGH, HIGH, HIGH] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{'stablehlo.einsum' op requires '->' in the equation, but it is 'ab,bc'}}
  %0 = stablehlo.einsum %x, %y, config = "ab,bc" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{requires letters for 2 operands, but the equation is 'ab->ab'}}
  %0 = stablehlo.einsum %x, %y, config = "ab->ab" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{requires a letter for each of 2 dimensions, but found 'abd'}}
  %0 = stablehlo.einsum %x, %y, config = "abd,bc->ac" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{requires letters, and '...' at most once, but found 'a1'}}
  %0 = stablehlo.einsum %x, %y, config = "a1,bc->ac" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{requires one size for all dimensions 'a', but they are 4 and 5}}
  %0 = stablehlo.einsum %x, %y, config = "ab,ba->ab" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) {
  // expected-error@+1 {{has a result dimension 'd' that no operand has}}
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ad" : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'stablehlo.unary_einsum' op has two result dimensions 'a'}}
  %0 = stablehlo.unary_einsum %x, config = "ab->aa" : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<8xf32>', but it is 'tensor<4xf32>'}}
  %0 = stablehlo.unary_einsum %x, config = "ab->b" : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast' op broadcast size -1 is negative}}
  %0 = stablehlo.broadcast %x, sizes = [-1] : (tensor<4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<2x4xf32>', but it is 'tensor<4x2xf32>'}}
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{dim 2 is out of range for a rank-2 operand}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %i: tensor<4x3xi32>) {
  // expected-error@+1 {{batch_dims 1 is not between 0 and dim, 0, or the rank of index, 2}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 0 : i64, batch_dims = 1 : i64}> : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<4x8xf32>, %i: tensor<5x3xi32>) {
  // expected-error@+1 {{batch dimension 0 has size 4 in the operand, but 5 in index}}
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<4x8xf32>, tensor<5x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.cross-replica-sum' op requires replica_groups to have a row for each group, but they are of type 'tensor<1xi64>'}}
  %0 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Breaks: rng C1
func.func @bad(%a: tensor<f32>, %b: tensor<bf16>, %s: tensor<1xi64>) {
  // expected-error@+1 {{requires the same element type for a, b and the result, but they are 'tensor<f32>', 'tensor<bf16>' and 'tensor<4xf32>'}}
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<bf16>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

// Breaks: rng C2
func.func @bad(%a: tensor<i32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{requires floats of distribution NORMAL, but they are 'i32'}}
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
  return
}

// -----

// Breaks: rng C3
func.func @bad(%a: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{requires an element of shape for each dimension of the result, but there are 2 for rank 1}}
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4xf32>
  return
}
