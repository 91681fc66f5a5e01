// Verifier errors of batch normalizations.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// Breaks: batch_norm_training C1
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{feature_index 3 is out of range for rank-3 operand}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.5 : f32, feature_index = 3 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_training C1
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{attribute 'feature_index' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.5 : f32, feature_index = -1 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_training C3
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{requires 'tensor<8xf32>' for operand #1, but it is 'tensor<3xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_training C6
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{requires 'tensor<3xf32>' for result #2, but it is 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %f) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

// Breaks: batch_norm_training C2
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{requires the same element type for all operands and results, but operand #0 is 'tensor<2x8x3xf32>' and operand #2 is 'tensor<3xbf16>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %f, %b) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xbf16>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{operand #1 must be 1D tensor}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %i, %f) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xi32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_inference C7
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{requires 'tensor<2x8x3xf32>' for result #0, but it is 'tensor<3xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %f, %f, %f, %f) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// Breaks: batch_norm_grad C3
func.func @bad(%x: tensor<2x8x3xf32>, %f: tensor<3xf32>, %b: tensor<3xbf16>, %g: tensor<2x8x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{requires 'tensor<2x8x3xf32>' for operand #4, but it is 'tensor<2x8x4xf32>'}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %f, %f, %f, %g) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x8x4xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_grad C1
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %u: tensor<3xf32>, %v: tensor<2x8x3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_grad' op feature_index 3 is out of range for rank-3 operand}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 3 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_grad C2
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xbf16>, %u: tensor<3xf32>, %v: tensor<2x8x3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_grad' op requires the same element type for all operands and results}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xbf16>, tensor<3xf32>, tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_grad C4
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %u: tensor<4xf32>, %v: tensor<2x8x3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_grad' op requires 'tensor<3xf32>' for operand #3, but it is 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_grad C5
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>, %u: tensor<4xf32>, %v: tensor<2x8x3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_grad' op requires 'tensor<3xf32>' for operand #1, but it is 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_grad"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x8x3xf32>) -> (tensor<2x8x3xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// Breaks: batch_norm_inference C1
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %u: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op feature_index 3 is out of range for rank-3 operand}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 3 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_inference C2
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xbf16>, %u: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op requires the same element type for all operands and results}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_inference C3
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<4xf32>, %z: tensor<3xf32>, %u: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op requires 'tensor<3xf32>' for operand #1, but it is 'tensor<4xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_inference C4
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>, %u: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op requires 'tensor<3xf32>' for operand #2, but it is 'tensor<4xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_inference C5
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %u: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op requires 'tensor<3xf32>' for operand #3, but it is 'tensor<4xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_inference C6
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>, %u: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_inference' op requires 'tensor<3xf32>' for operand #4, but it is 'tensor<4xf32>'}}
  %0 = "stablehlo.batch_norm_inference"(%x, %y, %z, %u, %v) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x8x3xf32>
  return
}

// -----

// Breaks: batch_norm_training C4
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op requires 'tensor<3xf32>' for operand #2, but it is 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %y, %z) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_training C5
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op requires 'tensor<3xf32>' for result #1, but it is 'tensor<4xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %y, %z) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x8x3xf32>, tensor<4xf32>, tensor<3xf32>)
  return
}

// -----

// Breaks: batch_norm_training C7
func.func @bad(%x: tensor<2x8x3xf32>, %y: tensor<3xf32>, %z: tensor<3xf32>) {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op requires 'tensor<2x8x3xf32>' for result #0, but it is 'tensor<2x7x3xf32>'}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %y, %z) <{epsilon = 0.5 : f32, feature_index = 2 : i64}> : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x7x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
