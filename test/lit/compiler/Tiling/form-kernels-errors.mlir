// RUN: %systole-opt %s --systole-fuse --systole-plan-fusions --systole-form-kernels="hbm-rows=100" --split-input-file --verify-diagnostics

// expected-error @below {{the program needs 131072 bytes of HBM, and a core has 51200: padding does not fit, without padding it would need 3072}}
// expected-note @below {{the last dimension of an array is padded to 128 elements}}
// expected-note @below {{argument 'arg0', laid out as 'tensor<128x3xf32>', takes 65536 bytes, of which 64000 are padding}}
func.func @main(%x: tensor<128x3xf32>) -> tensor<128x3xf32> {
  // expected-note @below {{result 'out0', laid out as 'tensor<128x3xf32>', takes 65536 bytes, of which 64000 are padding}}
  %0 = stablehlo.negate %x : tensor<128x3xf32>
  return %0 : tensor<128x3xf32>
}
