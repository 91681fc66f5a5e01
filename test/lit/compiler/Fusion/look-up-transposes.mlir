// RUN: %systole-opt %s --systole-look-up-transposes=target=v3 --split-input-file | FileCheck %s

// Two arrays interleaved: lane 2 j of a row comes from lane j, lane 2 j + 1 from
// lane 256 + j.
// CHECK-LABEL: @pairs
// CHECK: %[[ROWS:.*]] = stablehlo.reshape %arg0 : (tensor<4096x2x256xf32>) -> tensor<4096x512xf32>
// CHECK: stablehlo.constant {{.*}} : tensor<512xi32>
// CHECK: %[[FOUND:.*]] = kernel.lookup %[[ROWS]] at %{{.*}} : (tensor<4096x512xf32>, tensor<4096x512xi32>) -> tensor<4096x512xf32>
// CHECK-NOT: stablehlo.transpose
// CHECK: return %[[FOUND]]
func.func @pairs(%x: tensor<4096x2x256xf32>) -> tensor<4096x512xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<4096x2x256xf32>) -> tensor<4096x256x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<4096x256x2xf32>) -> tensor<4096x512xf32>
  return %1 : tensor<4096x512xf32>
}

// -----

// Arrays that lie behind each other become rows first. Of rows with 6 elements 16 share the lanes of one.
// CHECK-LABEL: @short_rows
// CHECK: stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<2x32768x3xi16>) -> tensor<32768x2x3xi16>
// CHECK: stablehlo.constant dense<[0, 3, 1, 4, 2, 5, 6, 9, 7,
// CHECK: kernel.lookup %{{.*}} at %{{.*}} : (tensor<2048x96xi32>, tensor<2048x96xi32>) -> tensor<2048x96xi32>
// CHECK: stablehlo.reshape %{{.*}} -> tensor<16384x12xi16>
func.func @short_rows(%x: tensor<2x32768x3xi16>) -> tensor<16384x12xi16> {
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x32768x3xi16>) -> tensor<32768x3x2xi16>
  %1 = stablehlo.reshape %0 : (tensor<32768x3x2xi16>) -> tensor<16384x12xi16>
  return %1 : tensor<16384x12xi16>
}

// -----

// Rows whose order alone changes are moved as they are, and few rows take less than a kernel's latencies.
// CHECK-LABEL: @rows
// CHECK-NOT: kernel.lookup
// CHECK: return
func.func @rows(%x: tensor<2x4096x256xf32>, %y: tensor<2x2x3xf32>) -> (tensor<4096x512xf32>, tensor<2x6xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<2x4096x256xf32>) -> tensor<4096x2x256xf32>
  %1 = stablehlo.reshape %0 : (tensor<4096x2x256xf32>) -> tensor<4096x512xf32>
  %2 = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x3x2xf32>) -> tensor<2x6xf32>
  return %1, %3 : tensor<4096x512xf32>, tensor<2x6xf32>
}

// -----

// 16-bit floats made of words would lose denormals, and long rows take a gather for each 128 lanes.
// CHECK-LABEL: @transposed
// CHECK-NOT: kernel.lookup
// CHECK: return
func.func @transposed(%x: tensor<4096x2x256xbf16>, %y: tensor<16384x16384xf32>)
    -> (tensor<4096x512xbf16>, tensor<268435456xf32>) {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<4096x2x256xbf16>) -> tensor<4096x256x2xbf16>
  %1 = stablehlo.reshape %0 : (tensor<4096x256x2xbf16>) -> tensor<4096x512xbf16>
  %2 = stablehlo.transpose %y, dims = [1, 0] : (tensor<16384x16384xf32>) -> tensor<16384x16384xf32>
  %3 = stablehlo.reshape %2 : (tensor<16384x16384xf32>) -> tensor<268435456xf32>
  return %1, %3 : tensor<4096x512xbf16>, tensor<268435456xf32>
}
