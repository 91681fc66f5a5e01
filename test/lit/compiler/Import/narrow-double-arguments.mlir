// RUN: %systole-opt %s --systole-narrow-doubles --systole-narrow-double-arguments | FileCheck %s

// The bits of the argument are rounded to those of the nearest f32.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[BITS:.*]]: tensor<ui64> {systole.double}, %arg1: tensor<3xf32>
// CHECK: %[[MAGNITUDE:.*]] = stablehlo.and %[[BITS]]
// CHECK: %[[REBIASED:.*]] = stablehlo.subtract %[[MAGNITUDE]]
// CHECK: stablehlo.shift_right_logical %{{.*}} : tensor<ui64>
// CHECK: %[[WORD:.*]] = stablehlo.convert %{{.*}} : (tensor<ui64>) -> tensor<ui32>
// CHECK: %[[F32:.*]] = stablehlo.bitcast_convert %[[WORD]] : (tensor<ui32>) -> tensor<f32>
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[F32]], dims = [] : (tensor<f32>) -> tensor<3xf32>
// CHECK: stablehlo.add %arg1, %[[ALL]]
func.func @main(%a: tensor<f64> {systole.double}, %x: tensor<3xf32> {systole.double}) -> tensor<3xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %1 = stablehlo.convert %0 : (tensor<3xf64>) -> tensor<3xf32>
  %2 = stablehlo.add %x, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Arithmetic in f64 is unchanged.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: tensor<f64>
func.func @wide(%a: tensor<f64>) -> tensor<f32> {
  %0 = stablehlo.add %a, %a : tensor<f64>
  %1 = stablehlo.convert %0 : (tensor<f64>) -> tensor<f32>
  return %1 : tensor<f32>
}

// An f32 is below the argument if and only if it is below the smallest f32 that is not.
// CHECK-LABEL: func.func @compared
// CHECK-SAME: %arg0: tensor<ui64> {systole.double}, %[[X:.*]]: tensor<3xbf16>
// CHECK-NOT: f64
// CHECK: %[[NARROW:.*]] = stablehlo.convert %[[X]] : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK: %[[F32:.*]] = stablehlo.bitcast_convert %{{.*}} : (tensor<ui32>) -> tensor<f32>
// CHECK: %[[ALL:.*]] = stablehlo.broadcast_in_dim %[[F32]]
// CHECK: stablehlo.compare LT, %[[NARROW]], %[[ALL]] : (tensor<3xf32>, tensor<3xf32>)
func.func @compared(%a: tensor<f64>, %x: tensor<3xbf16>) -> tensor<3xi1> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f64>) -> tensor<3xf64>
  %1 = stablehlo.convert %x : (tensor<3xbf16>) -> tensor<3xf64>
  %2 = stablehlo.compare GT, %0, %1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
  return %2 : tensor<3xi1>
}

// A total order distinguishes the zeros.
// CHECK-LABEL: func.func @total
// CHECK-SAME: tensor<f64>
// CHECK: compare LT, {{.*}}, TOTALORDER
func.func @total(%a: tensor<f64>, %x: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.convert %x : (tensor<f32>) -> tensor<f64>
  %1 = stablehlo.compare LT, %a, %0, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %1 : tensor<i1>
}
