// Programs that no earlier pass makes, but text can hold.
// RUN: systole-opt %s --systole-codegen=target=v3 --split-input-file --verify-diagnostics
// RUN: echo "func.func @main() { return }" | not systole-opt - --systole-codegen=target=v9 2>&1 | FileCheck %s

// CHECK: error: target 'v9': {{.+}}

// expected-error @below {{expects a function @main}}
module {
}

// -----

// expected-error @below {{expects one block, without arguments and results}}
func.func @main(%n: i32) {
  return
}

// -----

module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 8, base = 0>]} {
  func.func @main() {
    // expected-error @below {{names region 1, which is not in kernel.hbm_plan}}
    %x = kernel.hbm 1 : !kernel.buffer<8x128xf32, hbm>
    return
  }
}

// -----

module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 8, base = 0>]} {
  func.func @main() {
    // 9 rows of two groups of 128 lanes hold elements.
    // expected-error @below {{of type '!kernel.buffer<9x200xf32, hbm>' takes 18 rows, and region 0 has 8}}
    %x = kernel.hbm 0 : !kernel.buffer<9x200xf32, hbm>
    return
  }
}

// -----

module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 8, base = 0>]} {
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<8x128xf32, hbm>
    // expected-error @below {{names transfer 0, which is not in kernel.transfers}}
    kernel.to_host %x, 0 : !kernel.buffer<8x128xf32, hbm>
    return
  }
}

// -----

func.func @main() {
  // expected-error @below {{is not supported outside of kernels}}
  %x = stablehlo.constant dense<1.0> : tensor<8xf32>
  return
}

// -----

func.func @main() {
  // expected-error @below {{has no lowering to the scalar unit}}
  %f = arith.constant 1.0 : f32
  return
}

// -----

func.func @main() {
  %n = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  // expected-error @below {{expects an i32 index and a constant positive step}}
  scf.for %i = %zero to %n step %zero : i32 {
  }
  return
}

// -----

kernel.func @k grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
  // expected-error @below {{is not a stage of a kernel}}
  %x = stablehlo.constant dense<1.0> : tensor<8xf32>
  kernel.return
}
func.func @main() {
  return
}

// -----

kernel.func @k grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
  %x = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
  kernel.map ins(%x : !kernel.buffer<8x128xf32, vmem>) outs(%x : !kernel.buffer<8x128xf32, vmem>) maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    // expected-error @below {{has no lowering to vector instructions}}
    %0 = stablehlo.optimization_barrier %a : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}
func.func @main() {
  return
}

// -----

// Row 8 b + a would be read where row 2 a + b is written.
kernel.func @k grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
  %x = kernel.alloc : !kernel.buffer<16x128xf32, vmem>
  %v = kernel.view %x : !kernel.buffer<16x128xf32, vmem> to !kernel.buffer<2x8x128xf32, vmem>
  %w = kernel.view %x : !kernel.buffer<16x128xf32, vmem> to !kernel.buffer<8x2x128xf32, vmem>
  // expected-error @below {{input 0 and output 0 share memory, but not element by element}}
  kernel.map ins(%v : !kernel.buffer<2x8x128xf32, vmem>) outs(%w : !kernel.buffer<8x2x128xf32, vmem>) maps = [affine_map<(a, b, c) -> (b, a, c)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  kernel.return
}
func.func @main() {
  return
}
