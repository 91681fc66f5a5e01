// RUN: %systole-opt %s --systole-fuse --systole-form-kernels="hbm-rows=100" --split-input-file --verify-diagnostics

// expected-error @below {{the program needs 131072 bytes of HBM, and a core has 51200}}
// expected-note @below {{'arg0', laid out as 'tensor<128x3xf32>', takes 65536 bytes, of which 64000 are padding}}
func.func @main(%x: tensor<128x3xf32>) -> tensor<128x3xf32> {
  // expected-note @below {{'out0', laid out as 'tensor<128x3xf32>', takes 65536 bytes, of which 64000 are padding}}
  %0 = stablehlo.negate %x : tensor<128x3xf32>
  return %0 : tensor<128x3xf32>
}
