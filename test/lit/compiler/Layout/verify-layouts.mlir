// RUN: %systole-opt %s --split-input-file --verify-diagnostics --systole-verify-layouts

// As the level leaves it.
func.func @main(%x: tensor<3x1000xf32> {kernel.entry_layout = #kernel.layout<{0,1:T(1,128)}>})
    -> (tensor<f32> {kernel.entry_layout = #kernel.layout<{:T(1,128)}>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  return %zero : tensor<f32>
}

// -----

func.func @main(%x: tensor<4xf32> {kernel.entry_layout = #kernel.layout<{0:T(1,128)}>}) {
  // expected-error @+1 {{operation 'stablehlo.negate' still has layouts of its own}}
  %0 = stablehlo.negate %x {kernel.layouts = [#kernel.layout<{0:T(1,128)}>]} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{argument 0 has no kernel.entry_layout}}
func.func @main(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @+1 {{result 0 has layout #kernel.layout<{1,0:T(1,128)}>, but a tensor of shape 'tensor<1000x3xf32>' lies as #kernel.layout<{0,1:T(1,128)}>}}
func.func @main(%x: tensor<3x1000xf32> {kernel.entry_layout = #kernel.layout<{0,1:T(1,128)}>})
    -> (tensor<1000x3xf32> {kernel.entry_layout = #kernel.layout<{1,0:T(1,128)}>}) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x1000xf32>) -> tensor<1000x3xf32>
  return %0 : tensor<1000x3xf32>
}
