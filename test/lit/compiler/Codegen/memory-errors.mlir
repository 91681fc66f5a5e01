// A kernel that needs more memory than a core has: the largest buffers, and whether padding exceeds it.
// RUN: systole-opt %s --systole-codegen=target=v3 --split-input-file --verify-diagnostics

// 100,000 rows of 512 bytes, of which 12 each are elements.
// expected-error @+2 {{kernel @narrow needs 51200000 bytes of VMEM, and a core has 16515072: padding does not fit, without padding it would need 1200000}}
// expected-note @+1 {{the last dimension of an array is padded to 128 elements}}
kernel.func @narrow grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
  // expected-note @+1 {{'buffer', laid out as '!kernel.buffer<100000x3xf32, vmem>', takes 51200000 bytes, of which 50000000 are padding}}
  %t = kernel.alloc : !kernel.buffer<100000x3xf32, vmem>
  kernel.map ins() outs(%t : !kernel.buffer<100000x3xf32, vmem>) maps = [] {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    kernel.yield %c : tensor<f32>
  }
  kernel.return
}
func.func @main() {
  return
}

// -----

// The first buffer is dead when the second one is live: it does not contribute to the peak.
// expected-error @unknown {{kernel @wide of jit(f)/dense/add needs 51200000 bytes of VMEM, and a core has 16515072: the program does not fit, without padding it would need 51200000}}
// expected-note @unknown {{give the operation a part of the data at a time (a smaller batch, jax.lax.map), or keep its neighbours out of the kernel with jax.lax.optimization_barrier}}
kernel.func @wide grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
  %s = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
  kernel.map ins() outs(%s : !kernel.buffer<8x128xf32, vmem>) maps = [] {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    kernel.yield %c : tensor<f32>
  }
  // expected-note @+1 {{'buffer', laid out as '!kernel.buffer<100000x128xf32, vmem>', takes 51200000 bytes, of which 0 are padding}}
  %t = kernel.alloc : !kernel.buffer<100000x128xf32, vmem>
  kernel.map ins() outs(%t : !kernel.buffer<100000x128xf32, vmem>) maps = [] {
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    kernel.yield %c : tensor<f32>
  }
  kernel.return
} loc("jit(f)/dense/add")
func.func @main() {
  return
}
