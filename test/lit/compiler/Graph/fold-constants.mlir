// RUN: %systole-opt %s --systole-fold-constants | FileCheck %s

// Sums and differences wrap around at the width of their elements: 2^31 - 1 + 1 is -2^31, 0 - 1 is 255.
// CHECK-LABEL: @sums
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[-2147483648, 0]> : tensor<2xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[255, 254]> : tensor<2xui8>
// CHECK-NOT: stablehlo.add
// CHECK-NOT: stablehlo.subtract
// CHECK: return %[[A]], %[[B]]
func.func @sums() -> (tensor<2xi32>, tensor<2xui8>) {
  %a = stablehlo.constant dense<[2147483647, -1]> : tensor<2xi32>
  %b = stablehlo.constant dense<1> : tensor<2xi32>
  %c = stablehlo.constant dense<[0, 5]> : tensor<2xui8>
  %d = stablehlo.constant dense<[1, 7]> : tensor<2xui8>
  %0 = stablehlo.add %a, %b : tensor<2xi32>
  %1 = stablehlo.subtract %c, %d : tensor<2xui8>
  return %0, %1 : tensor<2xi32>, tensor<2xui8>
}

// 300 * 300 is 65,536 + 24,464.
// CHECK-LABEL: @products
// CHECK: %[[A:.*]] = stablehlo.constant dense<[24464, -600]> : tensor<2xi16>
// CHECK-NOT: stablehlo.multiply
// CHECK: return %[[A]]
func.func @products() -> tensor<2xi16> {
  %a = stablehlo.constant dense<[300, -300]> : tensor<2xi16>
  %b = stablehlo.constant dense<[300, 2]> : tensor<2xi16>
  %0 = stablehlo.multiply %a, %b : tensor<2xi16>
  return %0 : tensor<2xi16>
}

// CHECK-LABEL: @bits
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[8, 2]> : tensor<2xui8>
// CHECK-DAG: %[[O:.*]] = stablehlo.constant dense<14> : tensor<2xui8>
// CHECK-DAG: %[[X:.*]] = stablehlo.constant dense<[6, 12]> : tensor<2xui8>
// CHECK: return %[[A]], %[[O]], %[[X]]
func.func @bits() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xui8>) {
  %a = stablehlo.constant dense<[12, 10]> : tensor<2xui8>
  %b = stablehlo.constant dense<[10, 6]> : tensor<2xui8>
  %0 = stablehlo.and %a, %b : tensor<2xui8>
  %1 = stablehlo.or %a, %b : tensor<2xui8>
  %2 = stablehlo.xor %a, %b : tensor<2xui8>
  return %0, %1, %2 : tensor<2xui8>, tensor<2xui8>, tensor<2xui8>
}

// Amounts are unsigned numbers: those from the width on, and so negative ones, leave no bit.
// CHECK-LABEL: @shifts
// CHECK-DAG: %[[L:.*]] = stablehlo.constant dense<[-128, 2, 0, 0]> : tensor<4xi8>
// CHECK-DAG: %[[R:.*]] = stablehlo.constant dense<[1, 15, 0, 0]> : tensor<4xi8>
// CHECK: return %[[L]], %[[R]]
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>) {
  %a = stablehlo.constant dense<[1, -127, 3, -1]> : tensor<4xi8>
  %b = stablehlo.constant dense<[7, 1, 8, -1]> : tensor<4xi8>
  %c = stablehlo.constant dense<[-128, -1, -1, 5]> : tensor<4xi8>
  %d = stablehlo.constant dense<[7, 4, 8, -1]> : tensor<4xi8>
  %0 = stablehlo.shift_left %a, %b : tensor<4xi8>
  %1 = stablehlo.shift_right_logical %c, %d : tensor<4xi8>
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// Signed numbers keep their value where they become wider, also as unsigned ones modulo 2^n; others
// lose their high bits.
// CHECK-LABEL: @conversions
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[-1, 100]> : tensor<2xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[255, 100]> : tensor<2xi32>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<[4294967295, 100]> : tensor<2xui32>
// CHECK-DAG: %[[D:.*]] = stablehlo.constant dense<[255, 1]> : tensor<2xui8>
// CHECK-DAG: %[[E:.*]] = stablehlo.constant dense<[-1, 1]> : tensor<2xi16>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @conversions() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xui32>, tensor<2xui8>, tensor<2xi16>) {
  %a = stablehlo.constant dense<[-1, 100]> : tensor<2xi8>
  %b = stablehlo.constant dense<[255, 100]> : tensor<2xui8>
  %c = stablehlo.constant dense<[-1, 65537]> : tensor<2xi32>
  %0 = stablehlo.convert %a : (tensor<2xi8>) -> tensor<2xi32>
  %1 = stablehlo.convert %b : (tensor<2xui8>) -> tensor<2xi32>
  %2 = stablehlo.convert %a : (tensor<2xi8>) -> tensor<2xui32>
  %3 = stablehlo.convert %c : (tensor<2xi32>) -> tensor<2xui8>
  %4 = stablehlo.convert %c : (tensor<2xi32>) -> tensor<2xi16>
  return %0, %1, %2, %3, %4 : tensor<2xi32>, tensor<2xi32>, tensor<2xui32>, tensor<2xui8>, tensor<2xi16>
}

// True is 1, and every number but 0 is true, also one whose lowest bit is 0.
// CHECK-LABEL: @truth
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[0, 1, 1]> : tensor<3xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @truth() -> (tensor<3xi32>, tensor<3xi1>, tensor<3xi1>) {
  %a = stablehlo.constant dense<[false, true, true]> : tensor<3xi1>
  %b = stablehlo.constant dense<[256, 0, -1]> : tensor<3xi32>
  %c = stablehlo.constant dense<true> : tensor<3xi1>
  %0 = stablehlo.convert %a : (tensor<3xi1>) -> tensor<3xi32>
  %1 = stablehlo.convert %b : (tensor<3xi32>) -> tensor<3xi1>
  %2 = stablehlo.xor %a, %c : tensor<3xi1>
  return %0, %1, %2 : tensor<3xi32>, tensor<3xi1>, tensor<3xi1>
}

// Of truth values a sum is `or`, a product `and`.
// CHECK-LABEL: @sum_of_truth
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<[true, true, false, true]> : tensor<4xi1>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<[true, false, false, false]> : tensor<4xi1>
// CHECK: return %[[A]], %[[B]]
func.func @sum_of_truth() -> (tensor<4xi1>, tensor<4xi1>) {
  %a = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %b = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
  %0 = stablehlo.add %a, %b : tensor<4xi1>
  %1 = stablehlo.multiply %a, %b : tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// Of rows 0 and 2 columns 1 and 3.
// CHECK-LABEL: @slices
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<{{\[\[}}1, 3], [9, 11]]> : tensor<2x2xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<7> : tensor<2x2xi32>
// CHECK-NOT: stablehlo.slice
// CHECK: return %[[A]], %[[B]]
func.func @slices() -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %a = stablehlo.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
  %b = stablehlo.constant dense<7> : tensor<3x4xi32>
  %0 = stablehlo.slice %a [0:3:2, 1:4:2] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  %1 = stablehlo.slice %b [0:3:2, 1:4:2] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  return %0, %1 : tensor<2x2xi32>, tensor<2x2xi32>
}

// Reshapes of all, broadcasts of splats, whatever their size. Others are kept as they are, one array
// of few elements.
// CHECK-LABEL: @shapes
// CHECK-DAG: %[[A:.*]] = stablehlo.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
// CHECK-DAG: %[[B:.*]] = stablehlo.constant dense<5> : tensor<1000x1000xi32>
// CHECK-DAG: %[[C:.*]] = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK: %[[D:.*]] = stablehlo.broadcast_in_dim %[[C]]
// CHECK: return %[[A]], %[[B]], %[[D]]
func.func @shapes() -> (tensor<2x2xi32>, tensor<1000x1000xi32>, tensor<3x4xi32>) {
  %a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %b = stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.reshape %a : (tensor<4xi32>) -> tensor<2x2xi32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<i32>) -> tensor<1000x1000xi32>
  %2 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xi32>) -> tensor<3x4xi32>
  return %0, %1, %2 : tensor<2x2xi32>, tensor<1000x1000xi32>, tensor<3x4xi32>
}

// A rotation of 2^31 + 3 by 13 as Threefry makes it, from one of four amounts: 3 << 13 | 2^31 >> 19.
// CHECK-LABEL: @chain
// CHECK: %[[A:.*]] = stablehlo.constant dense<28672> : tensor<ui32>
// CHECK-NOT: stablehlo
// CHECK: return %[[A]]
func.func @chain() -> tensor<ui32> {
  %amounts = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
  %width = stablehlo.constant dense<32> : tensor<ui32>
  %x = stablehlo.constant dense<2147483651> : tensor<ui32>
  %0 = stablehlo.slice %amounts [0:1] : (tensor<4xui32>) -> tensor<1xui32>
  %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
  %2 = stablehlo.shift_left %x, %1 : tensor<ui32>
  %3 = stablehlo.subtract %width, %1 : tensor<ui32>
  %4 = stablehlo.shift_right_logical %x, %3 : tensor<ui32>
  %5 = stablehlo.or %2, %4 : tensor<ui32>
  return %5 : tensor<ui32>
}

// More than 256 elements that differ stay, and so do 257 taken from them; a splat of any size folds.
// CHECK-LABEL: @large
// CHECK-DAG: %[[S:.*]] = stablehlo.constant dense<3> : tensor<100000xi8>
// CHECK-DAG: %[[L:.*]] = stablehlo.constant dense<1> : tensor<256xi8>
// CHECK-DAG: %[[A:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<257xi8>
// CHECK-DAG: %[[B:.*]] = stablehlo.slice %{{.*}} : (tensor<1x257xi8>) -> tensor<1x257xi8>
// CHECK: return %[[A]], %[[S]], %[[L]], %[[B]]
func.func @large() -> (tensor<257xi8>, tensor<100000xi8>, tensor<256xi8>, tensor<1x257xi8>) {
  %a = stablehlo.constant dense<"0x0101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010102"> : tensor<257xi8>
  %one = stablehlo.constant dense<1> : tensor<100000xi8>
  %two = stablehlo.constant dense<2> : tensor<100000xi8>
  %0 = stablehlo.add %a, %a : tensor<257xi8>
  %1 = stablehlo.add %one, %two : tensor<100000xi8>
  %2 = stablehlo.slice %a [0:256] : (tensor<257xi8>) -> tensor<256xi8>
  %3 = stablehlo.reshape %a : (tensor<257xi8>) -> tensor<1x257xi8>
  %4 = stablehlo.slice %3 [0:1, 0:257] : (tensor<1x257xi8>) -> tensor<1x257xi8>
  return %0, %1, %2, %4 : tensor<257xi8>, tensor<100000xi8>, tensor<256xi8>, tensor<1x257xi8>
}

// What the machine's arithmetic of floats decides is left to it, also where integers become floats.
// CHECK-LABEL: @floats
// CHECK-DAG: stablehlo.add %{{.*}} : tensor<2xf32>
// CHECK-DAG: stablehlo.convert %{{.*}} : (tensor<2xf32>) -> tensor<2xi32>
// CHECK-DAG: stablehlo.convert %{{.*}} : (tensor<2xi32>) -> tensor<2xf32>
// CHECK: return
func.func @floats() -> (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[1.5, 2.5]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi32>
  %2 = stablehlo.convert %b : (tensor<2xi32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
}

// An operand that is not known, and an operation that is not evaluated.
// CHECK-LABEL: @unknown
// CHECK: stablehlo.add
// CHECK: stablehlo.divide
func.func @unknown(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.add %a, %x : tensor<2xi32>
  %1 = stablehlo.divide %a, %a : tensor<2xi32>
  return %0, %1 : tensor<2xi32>, tensor<2xi32>
}
