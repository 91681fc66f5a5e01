// RUN: %systole-opt %s --systole-unify-products | FileCheck %s

// Integers of 8 bits are exact in bf16, wider ones take the other operand's type.
// CHECK-LABEL: @integer_beside_float
// CHECK: %[[N:.*]] = stablehlo.convert %arg0 : (tensor<2x3xi8>) -> tensor<2x3xbf16>
// CHECK: stablehlo.dot_general %[[N]], %arg2, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x3xbf16>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[W:.*]] = stablehlo.convert %arg1 : (tensor<2x3xi32>) -> tensor<2x3xf32>
// CHECK: stablehlo.dot_general %[[W]], %arg2
func.func @integer_beside_float(%x: tensor<2x3xi8>, %z: tensor<2x3xi32>, %y: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x3xi8>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %s = stablehlo.dot_general %z, %y, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r, %s : tensor<2x4xf32>, tensor<2x4xf32>
}

// The machine multiplies these types directly, and rounds sums once.
// CHECK-LABEL: @native
// CHECK-NOT: stablehlo.convert
// CHECK: return
func.func @native(%x: tensor<2x3xbf16>, %y: tensor<3x4xf32>, %a: tensor<2x3xi8>, %b: tensor<3x4xui32>)
    -> (tensor<2x4xf32>, tensor<2x4xbf16>, tensor<2x4xi16>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %s = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xf32>) -> tensor<2x4xbf16>
  %t = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xui32>) -> tensor<2x4xi16>
  return %r, %s, %t : tensor<2x4xf32>, tensor<2x4xbf16>, tensor<2x4xi16>
}

// bf16 has more range than f16, so it is the higher one.
// CHECK-LABEL: @range
// CHECK: %[[B:.*]] = stablehlo.convert %arg0 : (tensor<2x3xf16>) -> tensor<2x3xbf16>
// CHECK: %[[R:.*]] = stablehlo.dot_general %[[B]], %arg1, {{.*}} -> tensor<2x4xbf16>
// CHECK: stablehlo.convert %[[R]] : (tensor<2x4xbf16>) -> tensor<2x4xf16>
func.func @range(%x: tensor<2x3xf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xf16> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf16>, tensor<3x4xbf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// CHECK-LABEL: @integer_of_floats
// CHECK: %[[R:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}} -> tensor<2x4xf32>
// CHECK: stablehlo.convert %[[R]] : (tensor<2x4xf32>) -> tensor<2x4xi8>
func.func @integer_of_floats(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xi8> {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xi8>
  return %r : tensor<2x4xi8>
}

// Sums that become integers are not rounded to bf16 or f16 before, nor are operands.
// CHECK-LABEL: @integer_of_narrow_floats
// CHECK: %[[N:.*]] = stablehlo.convert %arg0 : (tensor<2x3xi8>) -> tensor<2x3xbf16>
// CHECK: %[[R:.*]] = stablehlo.dot_general %[[N]], %arg1, {{.*}} : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
// CHECK: stablehlo.convert %[[R]] : (tensor<2x4xf32>) -> tensor<2x4xi32>
// CHECK: %[[S:.*]] = stablehlo.dot_general %arg2, %arg1, {{.*}} : (tensor<2x3xf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
// CHECK: stablehlo.convert %[[S]] : (tensor<2x4xf32>) -> tensor<2x4xi64>
// CHECK: %[[W:.*]] = stablehlo.convert %arg3 : (tensor<2x3xi32>) -> tensor<2x3xf32>
// CHECK: %[[T:.*]] = stablehlo.dot_general %[[W]], %arg1, {{.*}} : (tensor<2x3xf32>, tensor<3x4xbf16>) -> tensor<2x4xf32>
func.func @integer_of_narrow_floats(%x: tensor<2x3xi8>, %y: tensor<3x4xbf16>, %z: tensor<2x3xf16>, %w: tensor<2x3xi32>) -> (tensor<2x4xi32>, tensor<2x4xi64>, tensor<2x4xi32>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x4xbf16>) -> tensor<2x4xi32>
  %s = stablehlo.dot_general %z, %y, contracting_dims = [1] x [0] : (tensor<2x3xf16>, tensor<3x4xbf16>) -> tensor<2x4xi64>
  %t = stablehlo.dot_general %w, %y, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xbf16>) -> tensor<2x4xi32>
  return %r, %s, %t : tensor<2x4xi32>, tensor<2x4xi64>, tensor<2x4xi32>
}

// A product of two i1 is expanded by another pass; a single i1 is converted.
// CHECK-LABEL: @truth
// CHECK: stablehlo.dot_general %arg0, %arg1, {{.*}} : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<2x4xf32>
// CHECK: stablehlo.convert %arg0 : (tensor<2x3xi1>) -> tensor<2x3xi8>
// CHECK: stablehlo.dot_general {{.*}} : (tensor<2x3xi8>, tensor<3x4xi32>) -> tensor<2x4xi32>
func.func @truth(%x: tensor<2x3xi1>, %y: tensor<3x4xi1>, %z: tensor<3x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<2x4xf32>
  %s = stablehlo.dot_general %x, %z, contracting_dims = [1] x [0] : (tensor<2x3xi1>, tensor<3x4xi32>) -> tensor<2x4xi32>
  return %r, %s : tensor<2x4xf32>, tensor<2x4xi32>
}

// CHECK-LABEL: @convolution
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<2x9x3xui8>) -> tensor<2x9x3xbf16>
// CHECK: stablehlo.convolution(%[[X]], %arg1)
func.func @convolution(%x: tensor<2x9x3xui8>, %w: tensor<3x3x4xf16>) -> tensor<2x7x4xf16> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x3xui8>, tensor<3x3x4xf16>) -> tensor<2x7x4xf16>
  return %r : tensor<2x7x4xf16>
}
