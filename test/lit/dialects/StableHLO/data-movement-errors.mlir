// Verifier errors of data movement.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: broadcast_in_dim C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{broadcast_dimensions must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: broadcast_in_dim C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 3 in broadcast_dimensions is out of range for rank-2 result}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: broadcast_in_dim C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension -1 in broadcast_dimensions is out of range for rank-2 result}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: broadcast_in_dim C4
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 occurs twice in broadcast_dimensions [1, 1]}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: broadcast_in_dim C5
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot broadcast operand dimension 0 of size 2 to result dimension 1 of size 4}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// Breaks: broadcast_in_dim C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results, but operand #0 is 'tensor<2x3xf32>' and result #0 is 'tensor<2x3xi32>'}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.broadcast_in_dim' op result #0 must be statically shaped or bounded ranked tensor of}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// Breaks: reshape C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires as many elements in the result as in the operand, but operand 'tensor<2x3xf32>' has 6 and result 'tensor<5xf32>' has 5}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error@+1 {{has 2^63 elements or more: operand 'tensor<4294967296x4294967296xf32>', result 'tensor<0xf32>'}}
  %0 = stablehlo.reshape %x : (tensor<4294967296x4294967296xf32>) -> tensor<0xf32>
  return
}

// -----

// Breaks: reshape C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results, but operand #0 is 'tensor<2x3xf32>' and result #0 is 'tensor<6xi32>'}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

// Breaks: transpose C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{permutation must have one entry per dimension of operand, but has 3 for rank 2}}
  %0 = stablehlo.transpose %x, dims = [0, 1, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: transpose C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 2 in permutation is out of range for rank-2 operand}}
  %0 = stablehlo.transpose %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: transpose C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 0 occurs twice in permutation [0, 0]}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Breaks: transpose C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<3x2xf32>', but it is 'tensor<2x3xf32>'}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: reverse C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 2 in dimensions is out of range for rank-2 operand}}
  %0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>
  return
}

// -----

// Breaks: reverse C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 1 occurs twice in dimensions [1, 1]}}
  %0 = stablehlo.reverse %x, dims = [1, 1] : tensor<2x3xf32>
  return
}

// -----

// Breaks: reverse C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<2x3xf32>', but it is 'tensor<3x2xf32>'}}
  %0 = stablehlo.reverse %x, dims = [] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// Breaks: slice C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{start_indices must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = stablehlo.slice %x [0:2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: slice C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{limit_indices must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1>, strides = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// Breaks: slice C2
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{strides must have one entry per dimension of operand, but has 0 for rank 2}}
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 1, 1>, strides = array<i64>}> : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

// Breaks: slice C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{start index -1 in dimension 0 is negative}}
  %0 = stablehlo.slice %x [-1:2, 0:3] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// Breaks: slice C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{start index 2 is above limit index 1 in dimension 1}}
  %0 = stablehlo.slice %x [0:2, 2:1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  return
}

// -----

// Breaks: slice C3
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{limit index 4 is above size 3 of dimension 1}}
  %0 = stablehlo.slice %x [0:2, 0:4] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// Breaks: slice C4
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{stride 0 in dimension 0 is not positive}}
  %0 = stablehlo.slice %x [0:2:0, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: slice C5
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<2x2xf32>', but it is 'tensor<2x1xf32>'}}
  %0 = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

// Breaks: pad C1
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<i32>) {
  // expected-error@+1 {{padding_value must have the operand's element type 'f32', but has 'i32'}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x3xf32>, %z: tensor<1xf32>) {
  // expected-error@+1 {{'stablehlo.pad' op operand #1 must be 0D tensor of}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C2
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{edge_padding_low must have one entry per dimension of operand, but has 1 for rank 2}}
  %0 = stablehlo.pad %x, %z, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C2
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{edge_padding_high must have one entry per dimension of operand, but has 3 for rank 2}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C2
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{interior_padding must have one entry per dimension of operand, but has 0 for rank 2}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C3
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{interior_padding -1 in dimension 1 is negative}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C4
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{padding makes the size of dimension 1 -1, below zero}}
  %0 = stablehlo.pad %x, %z, low = [0, -4], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x0xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{the padded size of dimension 0 overflows 64 bits}}
  %0 = stablehlo.pad %x, %z, low = [9223372036854775807, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{the padded size of dimension 1 overflows 64 bits}}
  %0 = stablehlo.pad %x, %z, low = [0, 0], high = [0, 0], interior = [0, 9223372036854775807] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: pad C4
func.func @bad(%x: tensor<2x3xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{requires a result of type 'tensor<3x3xf32>', but it is 'tensor<2x3xf32>'}}
  %0 = stablehlo.pad %x, %z, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

// Breaks: concatenate C3
func.func @bad() {
  // expected-error@+1 {{'stablehlo.concatenate' op requires at least one input}}
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2xf32>
  return
}

// -----

// Breaks: concatenate C4
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dimension 2 is out of range for rank-2 inputs}}
  %0 = stablehlo.concatenate %x, %x, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: concatenate C4
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = stablehlo.concatenate %x, %x, dim = -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: concatenate C2
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{requires the same element type and rank for all inputs, but input #0 is 'tensor<2x3xf32>' and input #2 is 'tensor<3xf32>'}}
  %0 = stablehlo.concatenate %x, %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return
}

// -----

// Breaks: concatenate C1
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{requires the same element type and rank for all inputs, but input #0 is 'tensor<2x3xf32>' and input #1 is 'tensor<2x3xi32>'}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

// Breaks: concatenate C2
func.func @bad(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{requires inputs that differ only in dimension 0, but input #0 is 'tensor<2x3xf32>' and input #1 is 'tensor<2x4xf32>'}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @bad(%x: tensor<9223372036854775807xf32>) {
  // expected-error@+1 {{the joint size of dimension 0 overflows 64 bits}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>) -> tensor<2xf32>
  return
}

// -----

// Breaks: concatenate C6
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{requires a result of type 'tensor<4x3xf32>', but it is 'tensor<2x6xf32>'}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

// Breaks: concatenate C5
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.concatenate' op requires a result of type 'tensor<8xf32>', but it is 'tensor<8xf64>'}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf64>
  return
}

// -----

// Breaks: slice C1
func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.slice' op requires a result of type 'tensor<2xf32>', but it is 'tensor<2xf64>'}}
  %0 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

// Breaks: transpose C1
func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'stablehlo.transpose' op requires a result of type 'tensor<3x2xf32>', but it is 'tensor<3x2xf64>'}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}
