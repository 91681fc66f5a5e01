// RUN: %systole-opt %s --systole-pipeline="from=fusion to=core target=v3" | FileCheck %s

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
  %0:2 = kernel.fusion "reduce" (%x = %a, %n = %m, %y = %b)
      attributes {plan = #kernel.plan<axes = [<value 0 dim 3 by 128>, <value 0 dim 1 by 4>]>}
      : (tensor<8x56x56x256xf32>, tensor<256xf32>, tensor<8x56x56x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [1, 2], tree = 0, chunked = [1], chunk = [4]>} : (tensor<8x56x56x256xf32>, tensor<f32>) -> tensor<256xf32>
    %2 = stablehlo.broadcast_in_dim %n, dims = [3] : (tensor<256xf32>) -> tensor<8x56x56x256xf32>
    %3 = stablehlo.subtract %y, %2 : tensor<8x56x56x256xf32>
    %4 = stablehlo.multiply %3, %x : tensor<8x56x56x256xf32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] {kernel.order = #kernel.order<rows = [1, 2], tree = 0, chunked = [1], chunk = [4]>} : (tensor<8x56x56x256xf32>, tensor<f32>) -> tensor<256xf32>
    kernel.fused %1, %5 : tensor<256xf32>, tensor<256xf32>
  }
  return %0#0, %0#1 : tensor<256xf32>, tensor<256xf32>
}
