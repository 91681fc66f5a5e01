// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects 128 or 1024 partial results, found 64}}
module attributes {a = #kernel.order<rows = [0], tree = 1, partials = 64>} {}

// -----

// expected-error @+1 {{expects dimensions or -1, found -2 and -1}}
module attributes {a = #kernel.order<rows = [0], tree = -2>} {}

// -----

// expected-error @+1 {{expects the size of a chunk where a dimension is chunked, found 0}}
module attributes {a = #kernel.order<rows = [0], chunked = 0>} {}

// -----

// expected-error @+1 {{kernel.order: expects an order, found 7 : i64}}
module attributes {kernel.order = 7} {}
