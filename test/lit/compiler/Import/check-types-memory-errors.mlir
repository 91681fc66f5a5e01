// RUN: %systole-opt %s --systole-check-types=hbm-bytes=17179869184 --split-input-file --verify-diagnostics

// Arrays that cannot be counted say what memory they take, if there is less: 2^34 elements of 4 bytes.
// expected-error @below {{argument 1, 'tensor<131072x131072xf32>', needs 68719476736 bytes of HBM, and a core has 17179869184}}
func.func @main(%x: tensor<4xf32>, %y: tensor<131072x131072xf32>) { return }

// -----

func.func @main(%x: tensor<f32>) -> tensor<131072x131072xf32> {
  // expected-error @below {{the result of 'stablehlo.broadcast_in_dim', 'tensor<131072x131072xf32>', needs 68719476736 bytes of HBM}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<131072x131072xf32>
  return %0 : tensor<131072x131072xf32>
}

// -----

// Elements of 2 bits are stored in bytes, complex numbers are two: 2^35 and 2^35 times 16 bytes.
// expected-error @below {{needs 34359738368 bytes of HBM}}
func.func @main(%x: tensor<34359738368xi2>) { return }

// -----

// expected-error @below {{needs 549755813888 bytes of HBM}}
func.func @main(%x: tensor<34359738368xcomplex<f64>>) { return }

// -----

// More bytes than 64 bits count: (2^63 - 1)^2 times 8.
// expected-error @below {{needs 680564733841876926779175262273860009992 bytes of HBM}}
func.func @main(%x: tensor<9223372036854775807x9223372036854775807xf64>) { return }

// -----

// 2^31 bytes are there.
// expected-error @below {{'tensor<65536x32768xi8>' has 2^31 elements or more}}
func.func @main(%x: tensor<65536x32768xi8>) { return }
