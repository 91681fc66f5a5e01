// RUN: systole-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects each dimension once, found {0, 0}}}
module attributes {a = #kernel.layout<{0,0:T(1,128)}>} {}

// -----

// expected-error @+1 {{expects each dimension once, found {1, 2}}}
module attributes {a = #kernel.layout<{1,2:T(1,128)}>} {}

// -----

// expected-error @+1 {{expects a tile of 128 elements, as (1,128) or (2,64)}}
module attributes {a = #kernel.layout<{1,0:T(8,128)}>} {}

// -----

// expected-error @+1 {{expects 1, 2 or 4 elements in a cell, found 3}}
module attributes {a = #kernel.layout<{1,0:T(1,128)(3,1)}>} {}

// -----

// expected-error @+1 {{kernel.layout: layout #kernel.layout<{1,0:T(1,128)}> orders 2 dimensions, but 'tensor<8xf32>' has 1}}
func.func private @f(tensor<8xf32> {kernel.layout = #kernel.layout<{1,0:T(1,128)}>})

// -----

// expected-error @+1 {{kernel.entry_layout: layout #kernel.layout<{0:T(1,128)}> has 1 elements in a cell, but of 'bf16' it is 2}}
func.func private @f() -> (tensor<8xbf16> {kernel.entry_layout = #kernel.layout<{0:T(1,128)}>})

// -----

// expected-error @+1 {{kernel.layout: expects a layout, found 1 : i32}}
func.func private @f(tensor<8xf32> {kernel.layout = 1 : i32})

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{kernel.layouts: expects one layout per result}}
  %0 = stablehlo.negate %x {kernel.layouts = []} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{kernel.layouts: expects an array of #kernel.layout, found [2]}}
  %0 = stablehlo.negate %x {kernel.layouts = [2]} : tensor<8xf32>
  return
}
