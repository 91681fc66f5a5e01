// RUN: systole-opt %s -split-input-file -verify-diagnostics

func.func @rows(%x: tensor<1x12x4xf32>) -> tensor<1x12x4xf32> {
  // expected-error @+1 {{expects arrays of shape [O, T, L], T a power of two of at least 8, found [1, 12, 4]}}
  %0 = kernel.column_sort(%x) chunks = 1 : (tensor<1x12x4xf32>) -> tensor<1x12x4xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    kernel.yield %p : tensor<i1>
  }
  return %0 : tensor<1x12x4xf32>
}

// -----

func.func @chunks(%x: tensor<1x8x4xi32>) -> tensor<1x8x4xi32> {
  // expected-error @+1 {{expects one chunk, or a power of two of them that share a power of two of at most 128 lanes, in at least 16 rows, found 2 in [1, 8, 4]}}
  %0 = kernel.column_sort(%x) chunks = 2 : (tensor<1x8x4xi32>) -> tensor<1x8x4xi32> {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kernel.yield %p : tensor<i1>
  }
  return %0 : tensor<1x8x4xi32>
}

// -----

func.func @elements(%x: tensor<1x8x4xbf16>) -> tensor<1x8x4xbf16> {
  // expected-error @+1 {{expects elements of 32 bits, found 'bf16'}}
  %0 = kernel.column_sort(%x) chunks = 1 : (tensor<1x8x4xbf16>) -> tensor<1x8x4xbf16> {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %p = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    kernel.yield %p : tensor<i1>
  }
  return %0 : tensor<1x8x4xbf16>
}

// -----

func.func @comparator(%x: tensor<1x8x4xi32>, %y: tensor<1x8x4xf32>) {
  // expected-error @+1 {{expects two elements of each array as arguments of its comparator}}
  %0:2 = kernel.column_sort(%x, %y) chunks = 1 : (tensor<1x8x4xi32>, tensor<1x8x4xf32>) -> (tensor<1x8x4xi32>, tensor<1x8x4xf32>) {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kernel.yield %p : tensor<i1>
  }
  return
}

// -----

kernel.func @shared grid () (%x : !kernel.buffer<1x8x4xi32, hbm> #kernel.operand<in, block = [1, 8, 4], map = () -> (0, 0, 0)>) {
  // expected-error @+1 {{expects outputs that are no other operand}}
  kernel.sort ins(%x : !kernel.buffer<1x8x4xi32, vmem>) outs(%x : !kernel.buffer<1x8x4xi32, vmem>) chunks = 1 {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    kernel.yield %p : tensor<i1>
  }
  kernel.return
}

// -----

func.func @batches(%x: tensor<2x8xf32>, %i: tensor<3x8xi32>) -> tensor<3x8xf32> {
  // expected-error @+1 {{expects tables [B, N], indices [B, M] and results of their shape, found 'tensor<2x8xf32>' and 'tensor<3x8xi32>' for 'tensor<3x8xf32>'}}
  %0 = kernel.lookup %x at %i : (tensor<2x8xf32>, tensor<3x8xi32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @words(%x: tensor<2x8xbf16>, %i: tensor<2x8xi32>) -> tensor<2x8xbf16> {
  // expected-error @+1 {{expects elements of 32 bits at indices of i32}}
  %0 = kernel.lookup %x at %i : (tensor<2x8xbf16>, tensor<2x8xi32>) -> tensor<2x8xbf16>
  return %0 : tensor<2x8xbf16>
}
