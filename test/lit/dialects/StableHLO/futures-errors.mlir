// Parser errors of futures.
// RUN: systole-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{a future is of ranked tensors, but there is 'f32'}}
func.func private @bad() -> !stablehlo.future<f32>

// -----

// expected-error@+1 {{a future is of ranked tensors, but there is 'tensor<*xi8>'}}
func.func private @bad() -> !stablehlo.future<tensor<4xi8>, tensor<*xi8>>
