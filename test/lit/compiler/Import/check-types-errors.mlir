// RUN: %systole-opt %s --systole-check-types --split-input-file --verify-diagnostics

// expected-error @below {{dynamic dimensions are not supported: 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) { return }

// -----

// expected-error @below {{element type '!quant.uniform<i8:f64, 5.000000e-01>' is not supported yet}}
func.func @main(%x: tensor<4x!quant.uniform<i8:f64, 0.5>>) { return }

// -----

// The location for an argument is that of its first user: producers omit locations of functions.
func.func @main(%x: tensor<4x!quant.uniform<i8:f64, 0.5>>) {
  // expected-error @below {{element type '!quant.uniform<i8:f64, 5.000000e-01>' is not supported yet}}
  %0 = stablehlo.add %x, %x : tensor<4x!quant.uniform<i8:f64, 0.5>>
  return
}

// -----

func.func @main(%x: tensor<4xi32>) {
  // expected-error @below {{'tensor<65536x32768xi8>' has 2^31 elements or more}}
  %0 = stablehlo.constant dense<1> : tensor<65536x32768xi8>
  return
}

// -----

// expected-error @below {{has 2^31 elements or more}}
func.func @main(%x: tensor<65536x32768xi8>) { return }

// -----

// expected-error @below {{has 2^31 elements or more but for sizes of 0}}
func.func @main(%x: tensor<0x9223372036854775807xf32>) { return }

// -----

// Constants have no source line if their producer hoisted them.
func.func @main(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = stablehlo.constant dense<1> : tensor<65536x32768xi8> loc(unknown)
  // expected-error @below {{has 2^31 elements or more}}
  %1 = stablehlo.slice %0 [0:1, 0:4] : (tensor<65536x32768xi8>) -> tensor<1x4xi8>
  return %x : tensor<4xi1>
}

// -----

// expected-error@+1 {{expects a scale for each index of dimension 1, found 2 in 'tensor<3x4x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>'}}
func.func @main(%x: tensor<3x4x!quant.uniform<i8:f32:1, {0.1,0.2}>>) {
  return
}

// -----

// expected-error@+1 {{element type '!quant.any<i8:f32>' is not supported yet}}
func.func @main(%x: tensor<4x!quant.any<i8:f32>>) {
  return
}

// -----

// expected-error@+1 {{element type '!quant.uniform<i8:f64, 5.000000e-01>' is not supported yet}}
func.func @main(%x: tensor<4x!quant.uniform<i8:f64, 0.5>>) {
  return
}

// -----

// expected-error@+1 {{zero point 300 is outside the range of storage, -128 to 127, in}}
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:300>>) {
  return
}

// -----

// expected-error@+1 {{zero point -5 is outside the range of storage, -4 to 4, in}}
func.func @main(%x: tensor<2x!quant.uniform<i8<-4:4>:f32:0, {0.5:0, 0.5:-5}>>) {
  return
}

// -----

// StableHLO stores numbers in integers of a power of two bits.
// expected-error@+1 {{element type '!quant.uniform<i5:f32, 5.000000e-01>' is not supported yet}}
func.func @main(%x: tensor<4x!quant.uniform<i5:f32, 0.5>>) {
  return
}
