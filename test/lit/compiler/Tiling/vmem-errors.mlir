// RUN: systole-opt %s --systole-fuse=vmem-bytes=8192 --systole-plan-fusions=vmem-bytes=8192 --systole-form-kernels --split-input-file --verify-diagnostics

// 64 rows of 512 bytes, and 192 elements in 8 rows: 1,536 bytes are elements.
// expected-error @unknown {{operation 'reshape' of jit(f)/dense/reshape, which takes its arrays whole, needs 36864 bytes of VMEM, and a core has 8192: padding does not fit, without padding it would need 1536}}
// expected-note @unknown {{argument 'x', laid out as 'tensor<64x3xf32>', takes 32768 bytes, of which 32000 are padding}}
// expected-note @unknown {{result of jit(f)/dense/reshape, laid out as 'tensor<192xf32>', takes 4096 bytes, of which 3328 are padding}}
// expected-note @unknown {{the last dimension of an array is padded to 128 elements}}
func.func @main(%x: tensor<64x3xf32> loc("x")) -> tensor<192xf32> {
  %0 = stablehlo.reshape %x : (tensor<64x3xf32>) -> tensor<192xf32> loc("jit(f)/dense/reshape")
  return %0 : tensor<192xf32>
}

// -----

// expected-note @+1 {{operand, laid out as 'tensor<4096xf32>', takes 16384 bytes, of which 0 are padding}}
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  // expected-error @below {{operation 'reverse', which takes its arrays whole, needs 32768 bytes of VMEM, and a core has 8192: the program does not fit, without padding it would need 32768}}
  // expected-note @below {{result, laid out as 'tensor<4096xf32>', takes 16384 bytes, of which 0 are padding}}
  // expected-note @below {{give the operation a part of the data at a time: a smaller batch, or jax.lax.map over a dimension}}
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
