// RUN: %systole-opt %s --systole-expand-custom-calls --split-input-file --verify-diagnostics

func.func @target(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operation 'stablehlo.custom_call' of 'foo' is not supported: '(tensor<4xf32>) -> tensor<4xf32>'}}
  %r = stablehlo.custom_call @foo(%x) : (tensor<4xf32>) -> tensor<4xf32>
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
