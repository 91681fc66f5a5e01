// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects 128 or 1024 partial results, found 64}}
module attributes {a = #kernel.order<rows = [0], tree = 1, partials = 64>} {}

// -----

// expected-error @+1 {{expects a dimension or -1 as the tree, found -2}}
module attributes {a = #kernel.order<rows = [0], tree = -2>} {}

// -----

// expected-error @+1 {{expects the size of a chunk for each dimension in chunks, found 0 for 1}}
module attributes {a = #kernel.order<rows = [0], chunked = [0]>} {}

// -----

// expected-error @+1 {{expects chunks of at least one index of distinct dimensions, found 0 of dimension 1}}
module attributes {a = #kernel.order<rows = [0, 1], chunked = [0, 1], chunk = [1, 0]>} {}

// -----

// expected-error @+1 {{expects chunks of at least one index of distinct dimensions, found 4 of dimension 0}}
module attributes {a = #kernel.order<rows = [0, 1], chunked = [0, 0], chunk = [4, 2]>} {}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{kernel.order: expects an order, found 7 : i64}}
  %0 = stablehlo.negate %x {kernel.order = 7} : tensor<8xf32>
  return
}
