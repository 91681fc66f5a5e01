// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// Sums of rows come to lie along the lanes: blocks of whole groups of 128 rows.
// CHECK: kernel.func @{{[^ (]*}}reduce{{[^ (]*}} grid (%{{.*}} = {{[0-9]+}})
// CHECK-SAME: <2048x2048xf32, hbm> #kernel.operand<in, block = [[[ROWS:128|256|384|512|640|768|896|1024]], 2048], map = (d0) -> (d0, 0)>
// CHECK-SAME: <2048xf32, hbm> #kernel.operand<out, block = [[[ROWS]]], map = (d0) -> (d0)>
func.func @main(%x: tensor<2048x2048xf32>) -> tensor<2048xf32> {
  %0 = kernel.fusion "reduce" (%a = %x)
      : (tensor<2048x2048xf32>) -> tensor<2048xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<2048x2048xf32>, tensor<f32>) -> tensor<2048xf32>
    kernel.fused %1 : tensor<2048xf32>
  }
  return %0 : tensor<2048xf32>
}

// -----

// A transposition: what cuts the operand's rows cuts the result's lanes.
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-SAME: <2048x3000xf32, hbm> #kernel.operand<in, block = [128, 3000], map = (d0) -> (d0, 0)>
// CHECK-SAME: <3000x2048xf32, hbm> #kernel.operand<out, block = [3000, 128], map = (d0) -> (0, d0)>
func.func @main(%x: tensor<2048x3000xf32>) -> tensor<3000x2048xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 0 dim 0 by 128>]>}
      : (tensor<2048x3000xf32>) -> tensor<3000x2048xf32> {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2048x3000xf32>) -> tensor<3000x2048xf32>
    kernel.fused %1 : tensor<3000x2048xf32>
  }
  return %0 : tensor<3000x2048xf32>
}

// -----

// The lanes are cut: 4,000,000 of them in 364 steps.
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = 364)
// CHECK-SAME: block = [3, 11008], map = (d0) -> (0, d0)>
func.func @main(%x: tensor<3x4000000xf32>) -> tensor<3x4000000xf32> {
  %0 = kernel.fusion "loop" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 11008>]>}
      : (tensor<3x4000000xf32>) -> tensor<3x4000000xf32> {
    %1 = stablehlo.negate %a : tensor<3x4000000xf32>
    kernel.fused %1 : tensor<3x4000000xf32>
  }
  return %0 : tensor<3x4000000xf32>
}

// -----

// 2,000,000 elements are reduced in chunks of 262,144. The initial value takes part in the
// first one, what lies beyond the end in none, and the result stays in VMEM meanwhile.
// CHECK: kernel.func @{{[^ (]*}}reduce{{[^ (]*}} grid (%[[STEP:.*]] = 8)
// CHECK-SAME: #kernel.operand<in, block = [262144], map = (d0) -> (d0)>
// CHECK-SAME: %[[SUM:.*]] : !kernel.buffer<f32, hbm> #kernel.operand<out, block = [], map = (d0) -> ()>
// CHECK: kernel.reduce
// CHECK: %[[EXISTS:.*]] = stablehlo.compare LT
// CHECK: stablehlo.select %[[EXISTS]]
// CHECK: kernel.map ins(%[[SUM]], %{{.*}} : {{.*}}) outs(%[[SUM]] :
// CHECK: %[[ADDED:.*]] = stablehlo.add
// CHECK: stablehlo.select %{{.*}}, %{{.*}}, %[[ADDED]]
func.func @main(%x: tensor<2000000xf32>) -> tensor<f32> {
  %0 = kernel.fusion "reduce" (%a = %x)
      : (tensor<2000000xf32>) -> tensor<f32> {
    %three = stablehlo.constant dense<3.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %three) applies stablehlo.add across dimensions = [0]
        : (tensor<2000000xf32>, tensor<f32>) -> tensor<f32>
    kernel.fused %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// 8192 deep, in several passes: a block of the result stays while eight chunks of 1024 are added,
// whatever its size.
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid ({{[^(]*}} = 8) (
// CHECK-SAME: block = [[[ROWS:[0-9]+]], 1024], map = ([[OUTER:[d0-9, ]+]], [[CHUNK:d[0-9]]]) -> ({{[^)]*}}, [[CHUNK]])>
// CHECK-SAME: block = [1024, [[COLUMNS:[0-9]+]]], map = ([[OUTER]], [[CHUNK]]) -> ([[CHUNK]], {{[^)]*}})>
// CHECK-SAME: block = [[[ROWS]], [[COLUMNS]]], map = ([[OUTER]], [[CHUNK]]) ->
// CHECK-NOT: [[CHUNK]])>
// CHECK: kernel.dot {{.*}} accumulate
func.func @main(%x: tensor<1024x8192xf32>, %y: tensor<8192x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = kernel.fusion "dot" (%a = %x, %b = %y)
      : (tensor<1024x8192xf32>, tensor<8192x1024xf32>) -> tensor<1024x1024xf32> {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
        : (tensor<1024x8192xf32>, tensor<8192x1024xf32>) -> tensor<1024x1024xf32>
    kernel.fused %1 : tensor<1024x1024xf32>
  }
  return %0 : tensor<1024x1024xf32>
}

// -----

// In one pass chunks are any multiples of 256 of the depth. The last of these eleven has 512 of
// 768, 8192 - 10 * 768: both operands are cut off there, as what is behind may be no number.
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid (%[[CHUNK:[^ ]*]] = 11) (
// CHECK-SAME: block = [128, 768], map = (d0) -> (0, d0)>
// CHECK-SAME: block = [768, 256], map = (d0) -> (d0, 0)>
// CHECK-SAME: block = [128, 256], map = (d0) -> (0, 0)>
// CHECK: %[[FIRST:.*]] = arith.muli %[[CHUNK]], %c768
// CHECK: %[[LEFT:.*]] = arith.subi %c8192{{.*}}, %[[FIRST]]
// CHECK: %[[A:.*]] = kernel.alloc : <128x768xbf16, vmem>
// CHECK: kernel.index 1
// CHECK: kernel.scalar %[[LEFT]]
// CHECK: stablehlo.compare LT
// CHECK: stablehlo.select
// CHECK: %[[B:.*]] = kernel.alloc : <768x256xbf16, vmem>
// CHECK: kernel.index 0
// CHECK: stablehlo.compare LT
// CHECK: stablehlo.select
// CHECK: kernel.dot %[[A]], %[[B]] into {{.*}} accumulate
func.func @main(%x: tensor<128x8192xbf16>, %y: tensor<8192x256xbf16>) -> tensor<128x256xf32> {
  %0 = kernel.fusion "dot" (%a = %x, %b = %y) attributes {plan = #kernel.plan<axes = [<value 0 dim 1 by 768>]>}
      : (tensor<128x8192xbf16>, tensor<8192x256xbf16>) -> tensor<128x256xf32> {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<128x8192xbf16>, tensor<8192x256xbf16>) -> tensor<128x256xf32>
    kernel.fused %1 : tensor<128x256xf32>
  }
  return %0 : tensor<128x256xf32>
}

// -----

// One of two products after the other, cut along its columns and rows as it would be by itself.
// CHECK: kernel.func @{{[^ (]*}}dot{{[^ (]*}} grid (%{{.*}} = 2, %{{.*}} = 3, %{{.*}} = 6)
// CHECK-SAME: block = [1, 256, 1024], map = (d0, d1, d2) -> (d0, d2, 0)>
// CHECK-SAME: block = [1, 1024, 512], map = (d0, d1, d2) -> (d0, 0, d1)>
// CHECK-SAME: block = [1, 256, 512], map = (d0, d1, d2) -> (d0, d2, d1)>
// CHECK: kernel.dot
func.func @main(%x: tensor<2x1536x1024xf32>, %y: tensor<2x1024x1536xf32>) -> tensor<2x1536x1536xf32> {
  %0 = kernel.fusion "dot" (%a = %x, %b = %y) attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 1>, <value 2 dim 2 by 512>, <value 2 dim 1 by 256>]>}
      : (tensor<2x1536x1024xf32>, tensor<2x1024x1536xf32>) -> tensor<2x1536x1536xf32> {
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<2x1536x1024xf32>, tensor<2x1024x1536xf32>) -> tensor<2x1536x1536xf32>
    kernel.fused %1 : tensor<2x1536x1536xf32>
  }
  return %0 : tensor<2x1536x1536xf32>
}

// -----

// A slice that starts inside of what it is cut along: blocks at an offset, along the lanes
// in whole groups of 128, of which the first 5 lanes go unused.
// CHECK: #[[SHIFT:.*]] = affine_map<(d0) -> (d0 + 5)>
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-SAME: <4000000xf32, hbm> #kernel.operand<in, block = [[[WINDOW:[0-9]+]]], map = (d0) -> (d0), stride = [[[BLOCK:[0-9]+]]], offset = [0]>
// CHECK-SAME: <3000000xf32, hbm> #kernel.operand<out, block = [[[BLOCK]]]
// CHECK: kernel.copy {{.*}} from #[[SHIFT]]
func.func @main(%x: tensor<4000000xf32>) -> tensor<3000000xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 32768>]>}
      : (tensor<4000000xf32>) -> tensor<3000000xf32> {
    %1 = stablehlo.slice %a [5:3000005] : (tensor<4000000xf32>) -> tensor<3000000xf32>
    kernel.fused %1 : tensor<3000000xf32>
  }
  return %0 : tensor<3000000xf32>
}

// -----

// Padding along the cut: the windows reach beyond the operand, and what is there is
// replaced.
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-SAME: offset = [-256]>
// CHECK: kernel.copy
// CHECK: kernel.map
// CHECK: stablehlo.constant dense<200>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.constant dense<3000200>
// CHECK: stablehlo.compare LT
func.func @main(%x: tensor<3000000xf32>) -> tensor<3000300xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 32768>]>}
      : (tensor<3000000xf32>) -> tensor<3000300xf32> {
    %c = stablehlo.constant dense<7.0> : tensor<f32>
    %1 = stablehlo.pad %a, %c, low = [200], high = [100], interior = [0]
        : (tensor<3000000xf32>, tensor<f32>) -> tensor<3000300xf32>
    kernel.fused %1 : tensor<3000300xf32>
  }
  return %0 : tensor<3000300xf32>
}

// -----

// The other way round: the first block is the operand's last one, which starts at its element
// 4,000,100 - 32,768 = 3,967,332, 100 behind a multiple of 128; the next one lies before it.
// CHECK: #[[TURN:.*]] = affine_map<(d0) -> (-d0 + 32867)>
// CHECK: kernel.func @{{[^ (]+}} grid (%{{.*}} = 123)
// CHECK-SAME: #kernel.operand<in, block = [32896], map = (d0) -> (d0), stride = [-32768], offset = [3967232]>
// CHECK-SAME: #kernel.operand<out, block = [32768]
// CHECK: kernel.copy {{.*}} from #[[TURN]]
func.func @main(%x: tensor<4000100xf32>) -> tensor<4000100xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 32768>]>}
      : (tensor<4000100xf32>) -> tensor<4000100xf32> {
    %1 = stablehlo.reverse %a, dims = [0] : tensor<4000100xf32>
    kernel.fused %1 : tensor<4000100xf32>
  }
  return %0 : tensor<4000100xf32>
}

// -----

// With two elements of padding between any two, a block has room for a third of what it is long;
// the first one from the operand's second element on (-5 + 2 * 3 = 1).
// CHECK: #[[APART:.*]] = affine_map<(d0) -> (d0 * 3 + 1)>
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-SAME: map = (d0) -> (d0), stride = [[[THIRD:[0-9]+]]], offset = [0]>
// CHECK: kernel.copy {{.*}} into #[[APART]]
// CHECK: stablehlo.constant dense<-5>
// CHECK: stablehlo.compare GE
// CHECK: stablehlo.constant dense<2999993>
// CHECK: stablehlo.compare LT
func.func @main(%x: tensor<1000000xf32>) -> tensor<2999993xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 2 dim 0 by 49152>]>}
      : (tensor<1000000xf32>) -> tensor<2999993xf32> {
    %c = stablehlo.constant dense<7.0> : tensor<f32>
    %1 = stablehlo.pad %a, %c, low = [-5], high = [0], interior = [2]
        : (tensor<1000000xf32>, tensor<f32>) -> tensor<2999993xf32>
    kernel.fused %1 : tensor<2999993xf32>
  }
  return %0 : tensor<2999993xf32>
}

// -----

// 24 rows of the result are 36 rows of the operand.
// CHECK: kernel.func @{{[^ (]+}}
// CHECK-SAME: <6000x1000xf32, hbm> #kernel.operand<in, block = [36, 1000], map = (d0) -> (d0, 0), stride = [36, 1000], offset = [0, 0]>
// CHECK-SAME: <4000x1500xf32, hbm> #kernel.operand<out, block = [24, 1500]
func.func @main(%x: tensor<6000x1000xf32>) -> tensor<4000x1500xf32> {
  %0 = kernel.fusion "copy" (%a = %x) attributes {plan = #kernel.plan<axes = [<value 1 dim 0 by 24>]>}
      : (tensor<6000x1000xf32>) -> tensor<4000x1500xf32> {
    %1 = stablehlo.reshape %a : (tensor<6000x1000xf32>) -> tensor<4000x1500xf32>
    kernel.fused %1 : tensor<4000x1500xf32>
  }
  return %0 : tensor<4000x1500xf32>
}

// -----

// A maximum over chunks of a product's columns: these are the blocks of columns, the innermost axis,
// each of which is multiplied once.
// CHECK: kernel.func {{.*}}grid (%{{[^ ]*}} = {{[0-9]+}}, %{{[^ ]*}} = 10)
// CHECK-SAME: block = [[[ROWS:[0-9]+]], 256], map = (d0, d1) -> (d0, 0)>
// CHECK-SAME: block = [1024, 256], map = (d0, d1) -> (d1, 0)>
// CHECK-SAME: block = [[[ROWS]]], map = (d0, d1) -> (d0)>
func.func @main(%x: tensor<9000x256xf32>, %w: tensor<10000x256xf32>) -> tensor<9000xf32> {
  %0 = kernel.fusion "dot" (%a = %x, %b = %w)
      : (tensor<9000x256xf32>, tensor<10000x256xf32>) -> tensor<9000xf32> {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<9000x256xf32>, tensor<10000x256xf32>) -> tensor<9000x10000xf32>
    %r = stablehlo.reduce(%p init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<9000x10000xf32>, tensor<f32>) -> tensor<9000xf32>
    kernel.fused %r : tensor<9000xf32>
  }
  return %0 : tensor<9000xf32>
}
