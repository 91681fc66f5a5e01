// RUN: %systole-opt %s --systole-pipeline="to=core target=v3" | FileCheck %s

// A block of either array is eight copies, and two blocks are under way at once. Of the 31 places of
// the queue, but for one for copies that are waited for, vectors and sums have one for each of six
// copies; the 25 others are windows of six copies, one of which could have seven.
// CHECK-LABEL: func.func private @{{[^ (]*}}reduce{{[^ (]*}}
// CHECK: %[[SIX:.*]] = arith.constant 6 : i32
// CHECK: core.flag.add %[[SIX]], %{{.*}} {flag = 6 : i32}
// CHECK: core.wait %{{.*}} {flag = 6 : i32}
// CHECK-NEXT: arith.constant
// CHECK-NEXT: core.dma.start {{.*}}counts = [224]{{.*}}flag = 6
// CHECK: core.flag.add %[[SIX]], %{{.*}} {flag = 8 : i32}
func.func @main(%a: tensor<8x56x56x256xf32>, %b: tensor<8x56x56x256xf32>, %m: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x56x56x256xf32>, tensor<f32>) -> tensor<256xf32>
  %1 = stablehlo.broadcast_in_dim %m, dims = [3] : (tensor<256xf32>) -> tensor<8x56x56x256xf32>
  %2 = stablehlo.subtract %b, %1 : tensor<8x56x56x256xf32>
  %3 = stablehlo.multiply %2, %a : tensor<8x56x56x256xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x56x56x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %0, %4 : tensor<256xf32>, tensor<256xf32>
}
