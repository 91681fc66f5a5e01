// RUN: %systole-opt %s --systole-narrow-doubles | FileCheck %s

// Rounded once, from f64 to bf16; integers are truncated and saturated.
// CHECK-LABEL: @constants
// CHECK-NOT: f64
// CHECK-DAG: stablehlo.constant dense<1.007810e+00> : tensor<3xbf16>
// CHECK-DAG: stablehlo.constant dense<[127, -2, 0]> : tensor<3xi8>
func.func @constants() -> (tensor<3xbf16>, tensor<3xi8>) {
  %c = stablehlo.constant dense<1.00390625000001> : tensor<f64>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %n = stablehlo.convert %b : (tensor<3xf64>) -> tensor<3xbf16>
  %d = stablehlo.constant dense<[1.0e300, -2.5, 0x7FF8000000000000]> : tensor<3xf64>
  %i = stablehlo.convert %d : (tensor<3xf64>) -> tensor<3xi8>
  return %n, %i : tensor<3xbf16>, tensor<3xi8>
}

// A constant that is used in f64 arithmetic is unchanged.
// CHECK-LABEL: @computed
// CHECK: stablehlo.convert %{{.*}} : (tensor<f64>) -> tensor<f32>
func.func @computed(%x: tensor<f64>) -> (tensor<f32>, tensor<f64>) {
  %y = stablehlo.convert %x : (tensor<f64>) -> tensor<f32>
  %c = stablehlo.constant dense<1.0> : tensor<f64>
  %z = stablehlo.add %x, %c : tensor<f64>
  return %y, %z : tensor<f32>, tensor<f64>
}

// Integers of more bits than f32 has are compared by the bits of their doubles, if with several.
// CHECK-LABEL: @compared_by_bits
// CHECK-NOT: f64
// CHECK: %[[ORDER:.*]] = stablehlo.select %{{.*}} : tensor<3xi1>, tensor<3xi64>
// CHECK: %[[BOUND:.*]] = stablehlo.bitcast_convert %{{.*}} : (tensor<3xui64>) -> tensor<3xi64>
// CHECK: stablehlo.compare GE, %[[ORDER]], %[[BOUND]] : (tensor<3xi64>, tensor<3xi64>)
func.func @compared_by_bits(%x: tensor<3xi64>) -> tensor<3xi1> {
  %c = stablehlo.constant dense<[2.5, 3.5, 4.5]> : tensor<3xf64>
  %0 = stablehlo.convert %x : (tensor<3xi64>) -> tensor<3xf64>
  %1 = stablehlo.compare GE, %0, %c, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  return %1 : tensor<3xi1>
}

// Arithmetic of constants is folded as IEEE 754 defines it: 0.3 * 5 rounds to 1.5, then to 1 and 2.
// CHECK-LABEL: @folded
// CHECK-NOT: f64
// CHECK-DAG: stablehlo.constant dense<1> : tensor<i64>
// CHECK-DAG: stablehlo.constant dense<2> : tensor<i64>
// CHECK-DAG: stablehlo.constant dense<[3.000000e+00, 5.000000e+00]> : tensor<2xf32>
func.func @folded() -> (tensor<i64>, tensor<i64>, tensor<2xf32>) {
  %n = stablehlo.constant dense<5> : tensor<i64>
  %f = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %c = stablehlo.constant dense<0.3> : tensor<f64>
  %x = stablehlo.multiply %c, %f : tensor<f64>
  %low = stablehlo.floor %x : tensor<f64>
  %high = stablehlo.ceil %x : tensor<f64>
  %i = stablehlo.convert %low : (tensor<f64>) -> tensor<i64>
  %j = stablehlo.convert %high : (tensor<f64>) -> tensor<i64>
  %v = stablehlo.constant dense<[1.0, 9.0]> : tensor<2xf64>
  %most = stablehlo.clamp %high, %v, %f : (tensor<f64>, tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %three = stablehlo.constant dense<3.0> : tensor<2xf64>
  %all = stablehlo.maximum %most, %three : tensor<2xf64>
  %w = stablehlo.convert %all : (tensor<2xf64>) -> tensor<2xf32>
  return %i, %j, %w : tensor<i64>, tensor<i64>, tensor<2xf32>
}

// Rounding is monotone, so the operands of a maximum may be rounded first.
// CHECK-LABEL: @ordered
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = stablehlo.constant dense<1.000000e-01> : tensor<4xf32>
// CHECK: %[[M:.*]] = stablehlo.maximum %[[X]], %[[C]] : tensor<4xf32>
// CHECK: %[[N:.*]] = stablehlo.negate %[[M]] : tensor<4xf32>
// CHECK: return %[[N]]
func.func @ordered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0.1> : tensor<4xf64>
  %w = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %m = stablehlo.maximum %w, %c : tensor<4xf64>
  %n = stablehlo.negate %m : tensor<4xf64>
  %r = stablehlo.convert %n : (tensor<4xf64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// f64 holds less than 64 bits: to f32 that would be two roundings.
// CHECK-LABEL: @rounded_twice
// CHECK: stablehlo.convert %{{.*}} : (tensor<f64>) -> tensor<f32>
func.func @rounded_twice(%x: tensor<i64>) -> tensor<f32> {
  %w = stablehlo.convert %x : (tensor<i64>) -> tensor<f64>
  %r = stablehlo.convert %w : (tensor<f64>) -> tensor<f32>
  return %r : tensor<f32>
}

// Integers wrap around, f64 saturate.
// CHECK-LABEL: @saturated
// CHECK: stablehlo.convert %{{.*}} : (tensor<f64>) -> tensor<i8>
func.func @saturated(%x: tensor<i32>) -> tensor<i8> {
  %w = stablehlo.convert %x : (tensor<i32>) -> tensor<f64>
  %r = stablehlo.convert %w : (tensor<f64>) -> tensor<i8>
  return %r : tensor<i8>
}

// CHECK-LABEL: @compared
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<4xi32>
// CHECK: %[[C:.*]] = stablehlo.constant dense<2.500000e-01> : tensor<4xf32>
// CHECK: stablehlo.compare{{ *}} EQ, %[[X]], %[[C]] :
// CHECK: stablehlo.compare{{ *}} LE, %[[N]], %{{.*}} : (tensor<4xi32>, tensor<4xi32>)
func.func @compared(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %c = stablehlo.constant dense<0.25> : tensor<4xf64>
  %w = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %r = stablehlo.compare EQ, %w, %c, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %i = stablehlo.iota dim = 0 : tensor<4xf64>
  %v = stablehlo.convert %n : (tensor<4xi32>) -> tensor<4xf64>
  %s = stablehlo.compare LE, %v, %i, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  return %r, %s : tensor<4xi1>, tensor<4xi1>
}

// The f32 next to 0.1 is above it. 3 - 2n < 0.5 is n > 1.25, of integers n >= 2.
// CHECK-LABEL: @thresholds
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[N:.*]]: tensor<i64>
// CHECK: %[[C:.*]] = stablehlo.constant dense<1.000000e-01> : tensor<4xf32>
// CHECK: stablehlo.compare{{ *}} GE, %[[X]], %[[C]] :
// CHECK: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i64>
// CHECK: stablehlo.compare{{ *}} GE, %[[N]], %[[TWO]] :
func.func @thresholds(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xi1>, tensor<i1>) {
  %c = stablehlo.constant dense<0.1> : tensor<4xf64>
  %w = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xf64>
  %r = stablehlo.compare GT, %w, %c, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %three = stablehlo.constant dense<3.0> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %v = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %m = stablehlo.multiply %v, %two : tensor<f64>
  %d = stablehlo.subtract %three, %m : tensor<f64>
  %s = stablehlo.compare LT, %d, %half, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %r, %s : tensor<4xi1>, tensor<i1>
}

// As random numbers are made: x - 1 < 0.5 is x < 1.5, which 0x3FF8000000000000 are the bits of; those of
// negative numbers are from 2^63 to -infinity's.
// CHECK-LABEL: @bits
// CHECK-NOT: f64
// CHECK: %[[T:.*]] = stablehlo.constant dense<4609434218613702656> : tensor<4xui64>
// CHECK: stablehlo.compare{{ *}} LT, %arg0, %[[T]] :
// CHECK: stablehlo.constant dense<9223372036854775808> : tensor<4xui64>
// CHECK: stablehlo.constant dense<18442240474082181120> : tensor<4xui64>
func.func @bits(%x: tensor<4xui64>) -> tensor<4xi1> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf64>
  %half = stablehlo.constant dense<0.5> : tensor<4xf64>
  %b = stablehlo.bitcast_convert %x : (tensor<4xui64>) -> tensor<4xf64>
  %d = stablehlo.subtract %b, %one : tensor<4xf64>
  %r = stablehlo.compare LT, %d, %half, FLOAT : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// No integer is half of three.
// CHECK-LABEL: @between
// CHECK: %[[ABOVE:.*]] = stablehlo.constant dense<2> : tensor<i64>
// CHECK: %[[GE:.*]] = stablehlo.compare{{ *}} GE, %arg0, %[[ABOVE]]
// CHECK: %[[BELOW:.*]] = stablehlo.constant dense<2> : tensor<i64>
// CHECK: %[[LT:.*]] = stablehlo.compare{{ *}} LT, %arg0, %[[BELOW]]
// CHECK: %[[BOTH:.*]] = stablehlo.and %[[GE]], %[[LT]]
// CHECK: stablehlo.not %[[BOTH]]
func.func @between(%n: tensor<i64>) -> tensor<i1> {
  %c = stablehlo.constant dense<1.5> : tensor<f64>
  %w = stablehlo.convert %n : (tensor<i64>) -> tensor<f64>
  %r = stablehlo.compare NE, %c, %w, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %r : tensor<i1>
}

// Infinities times zero are NaNs.
// CHECK-LABEL: @not_monotone
// CHECK: stablehlo.compare{{ *}} LT, %{{.*}} : (tensor<f64>, tensor<f64>)
func.func @not_monotone(%x: tensor<f32>) -> tensor<i1> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %tenth = stablehlo.constant dense<0.1> : tensor<f64>
  %w = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>
  %m = stablehlo.multiply %w, %zero : tensor<f64>
  %r = stablehlo.compare LT, %m, %tenth, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %r : tensor<i1>
}

// The magnitude of a complex number is not that of rounded parts.
// CHECK-LABEL: @complex_magnitude
// CHECK: %[[ABS:.*]] = stablehlo.abs %arg0 : (tensor<complex<f64>>) -> tensor<f64>
// CHECK: stablehlo.convert %[[ABS]] : (tensor<f64>) -> tensor<f32>
func.func @complex_magnitude(%z: tensor<complex<f64>>) -> tensor<f32> {
  %m = stablehlo.abs %z : (tensor<complex<f64>>) -> tensor<f64>
  %r = stablehlo.convert %m : (tensor<f64>) -> tensor<f32>
  return %r : tensor<f32>
}
