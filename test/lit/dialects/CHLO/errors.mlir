// Verifier errors of CHLO operations.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

func.func @bad(%x: tensor<4xi32>) {
  // expected-error@+1 {{'chlo.erf' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or uniform quantized type of one scale values, but got 'tensor<4xi32>'}}
  %0 = chlo.erf %x : tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<f32>) {
  // expected-error@+1 {{the result has parts of the operands' element type}}
  %0 = chlo.broadcast_complex %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xcomplex<f64>>
  return
}

// -----

func.func @bad(%x: tensor<4xcomplex<f32>>) {
  // expected-error@+1 {{'chlo.lgamma' op operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or uniform quantized type of one scale values}}
  %0 = chlo.lgamma %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.asin' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and result #0 is 'tensor<5xf32>'}}
  %0 = chlo.asin %x : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.is_inf' op result #0 must be ranked tensor of i1 values, but got 'tensor<4xi32>'}}
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.mulhi' op operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values}}
  %0 = chlo.mulhi %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error@+1 {{'chlo.next_after' op requires the same type for all operands and results, but operand #0 is 'tensor<4xf32>' and operand #1 is 'tensor<4xbf16>'}}
  %0 = chlo.next_after %x, %y : tensor<4xf32>, tensor<4xbf16> -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.constant_like' op requires a value of type 'f32', but it is 'i32'}}
  %0 = "chlo.constant_like"(%x) <{value = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<3x5xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op cannot bring sizes 5 and 4 of dimension 1 together}}
  %0 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op requires a result of type 'tensor<3x4xf32>', but it is 'tensor<3x5xf32>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op requires the same element type}}
  %0 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op broadcast_dimensions must have one entry per dimension of the operand of lower rank, but has 2 for rank 1}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0, 1>} : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<3x4xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op dimension 2 in broadcast_dimensions is out of range for rank-2 operand of higher rank}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @bad(%x: tensor<3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'chlo.broadcast_add' op broadcast_dimensions must ascend, but is [1, 0]}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1, 0>} : (tensor<3x4xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return
}

// -----

func.func @bad(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{'chlo.broadcast_compare' op requires the same element type, but operand #0 is 'tensor<4xf32>' and operand #1 is 'tensor<4xi32>'}}
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @bad(%p: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{'chlo.broadcast_select' op cannot bring sizes 3 and 4 of dimension 0 together}}
  %0 = chlo.broadcast_select %p, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bad(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error@+1 {{'chlo.broadcast_select' op requires the same element type, but on_true is 'tensor<4xf32>' and there is 'tensor<4xbf16>'}}
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>
  return
}
