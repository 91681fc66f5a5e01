// RUN: %systole-opt %s --systole-widen-masks | FileCheck %s

// A mask of few elements becomes integers, once for all broadcasts of it. One that makes less than
// four times as many elements stays, and so do arrays of other types.
// CHECK-LABEL: @main
// CHECK: %[[W:.*]] = stablehlo.convert %arg1 : (tensor<8x128xi1>) -> tensor<8x128xi32>
// CHECK-NOT: stablehlo.convert
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[W]], dims = [0, 3] : (tensor<8x128xi32>) -> tensor<8x12x128x128xi32>
// CHECK: %[[Z:.*]] = stablehlo.constant dense<0> : tensor<8x12x128x128xi32>
// CHECK: %[[M:.*]] = stablehlo.compare NE, %[[B]], %[[Z]], SIGNED
// CHECK: stablehlo.select %[[M]], %arg0
// CHECK: stablehlo.broadcast_in_dim %[[W]], dims = [1, 2] : (tensor<8x128xi32>) -> tensor<4x8x128xi32>
// CHECK: stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<8x128xi1>) -> tensor<3x8x128xi1>
func.func @main(%x: tensor<8x12x128x128xf32>, %mask: tensor<8x128xi1>, %y: tensor<4x8x128xf32>, %z: tensor<3x8x128xf32>)
    -> (tensor<8x12x128x128xf32>, tensor<4x8x128xf32>, tensor<3x8x128xf32>) {
  %lowest = stablehlo.constant dense<-1.0e+09> : tensor<8x12x128x128xf32>
  %0 = stablehlo.broadcast_in_dim %mask, dims = [0, 3] : (tensor<8x128xi1>) -> tensor<8x12x128x128xi1>
  %1 = stablehlo.select %0, %x, %lowest : tensor<8x12x128x128xi1>, tensor<8x12x128x128xf32>
  %2 = stablehlo.broadcast_in_dim %mask, dims = [1, 2] : (tensor<8x128xi1>) -> tensor<4x8x128xi1>
  %3 = stablehlo.select %2, %y, %y : tensor<4x8x128xi1>, tensor<4x8x128xf32>
  %4 = stablehlo.broadcast_in_dim %mask, dims = [1, 2] : (tensor<8x128xi1>) -> tensor<3x8x128xi1>
  %5 = stablehlo.select %4, %z, %z : tensor<3x8x128xi1>, tensor<3x8x128xf32>
  return %1, %3, %5 : tensor<8x12x128x128xf32>, tensor<4x8x128xf32>, tensor<3x8x128xf32>
}
