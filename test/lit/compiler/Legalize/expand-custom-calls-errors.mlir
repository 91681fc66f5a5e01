// RUN: %systole-opt %s --systole-expand-custom-calls --split-input-file --verify-diagnostics

func.func @target(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'foo' is not supported: '(tensor<4xf32>) -> tensor<4xf32>'}}
  %r = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @pallas(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'tpu_custom_call' (a Pallas kernel) is not supported: '(tensor<4xf32>) -> tensor<4xf32>'}}
  %r = stablehlo.custom_call @tpu_custom_call(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @type(%x: tensor<4x4xbf16>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Qr' is not supported}}
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x4xbf16>) -> (tensor<4x4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @results(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Qr' is not supported}}
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Qr' is not supported}}
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @count(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Qr' is not supported}}
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>)
  return
}

// -----

func.func @wide(%x: tensor<4x5xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'ProductOfElementaryHouseholderReflectors' is not supported}}
  %r = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%x, %t) : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @not_square(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Eigh' is not supported}}
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,1e-6"} : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @settings(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Eigh' is not supported}}
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,0,1e-6"} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
  return
}

// -----

// Eigenvalues are real.
func.func @complex(%x: tensor<4x4xcomplex<f32>>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Eigh' is not supported}}
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,1e-6"} : (tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>)
  return
}

// -----

func.func @no_comparator(%x: tensor<9xf32>, %i: tensor<9xi32>, %v: tensor<f32>, %n: tensor<i32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'ApproxTopK' is not supported}}
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %v, %n) {mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 5 : i64}} : (tensor<9xf32>, tensor<9xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @tolerance(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'Eigh' is not supported}}
  %v, %w = stablehlo.custom_call @Eigh(%x) {backend_config = "1,1,100,nan"} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
  return
}

// -----

// A comparator that has itself copied into it.
func.func @compare(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %x = stablehlo.constant dense<0.0> : tensor<9xf32>
  %k = stablehlo.constant dense<0> : tensor<9xi32>
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'ApproxTopK' is not supported}}
  %r:2 = stablehlo.custom_call @ApproxTopK(%x, %k, %a, %i) {called_computations = [@compare], mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64, top_k = 5 : i64}} : (tensor<9xf32>, tensor<9xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
