// RUN: %systole-opt %s --systole-fuse | FileCheck %s

// The product is cut along its rows, the image, of which two are 7.6 MiB, is not: no kernel can have
// both, two results and a reshape between. A reshape that moves
// no row is the same array of another type then, not a kernel of copies. The sum takes images one by
// one, which are blocks of the product's rows.
// CHECK-LABEL: @rows
// CHECK: %[[X:.*]] = kernel.reinterpret %arg0 : tensor<8x88x88x64xf32> to tensor<61952x64xf32>
// CHECK: %[[DOT:.*]] = kernel.fusion "dot" (%{{.*}} = %[[X]],
// CHECK: kernel.fusion "reduce" (%{{.*}} = %[[DOT]])
// CHECK-NEXT: stablehlo.reshape {{.*}} : (tensor<61952x64xf32>) -> tensor<8x88x88x64xf32>
func.func @rows(%x: tensor<8x88x88x64xf32>, %w: tensor<64x64xf32>) -> tensor<64xf32> {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reshape %x : (tensor<8x88x88x64xf32>) -> tensor<61952x64xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<61952x64xf32>, tensor<64x64xf32>) -> tensor<61952x64xf32>
  %2 = stablehlo.reshape %1 : (tensor<61952x64xf32>) -> tensor<8x88x88x64xf32>
  %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x88x88x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// What a function returns has a buffer of its own, and lanes that change are moved.
// CHECK-LABEL: @moved
// CHECK-NOT: kernel.reinterpret
func.func @moved(%x: tensor<8x56x56x64xf32>) -> (tensor<25088x64xf32>, tensor<12544x128xf32>) {
  %0 = stablehlo.reshape %x : (tensor<8x56x56x64xf32>) -> tensor<25088x64xf32>
  %1 = stablehlo.negate %x : tensor<8x56x56x64xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x56x56x64xf32>) -> tensor<12544x128xf32>
  return %0, %2 : tensor<25088x64xf32>, tensor<12544x128xf32>
}
