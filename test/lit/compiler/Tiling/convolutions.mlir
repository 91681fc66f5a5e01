// Convolutions as stages: padding, products in windows, cuts.
// RUN: %systole-opt %s --systole-plan-fusions --systole-form-kernels --split-input-file | FileCheck %s

// The image is padded once in VMEM; taps are offsets.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
// CHECK-DAG: #[[ABOVE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[PADDED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + 1, d2, d3)>
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d3, d2 + d4 * 3, d6)>
// CHECK-DAG: #[[KERNEL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d3, d4, d6, d7)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d7)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid ()
// CHECK: %[[X:.*]] = kernel.alloc : <2x9x9x80xf32, vmem>
// One row of zeros is copied to the row of positions above the image.
// CHECK-NEXT: %[[ZEROS:.*]] = kernel.alloc : <1x1x1x80xf32, vmem>
// CHECK-NEXT: kernel.map ins() outs(%[[ZEROS]]
// CHECK: kernel.copy %[[ZEROS]] to %[[X]] sizes = [2, 1, 9, 80] from #[[ROW]] into #[[ABOVE]]
// CHECK-NEXT: kernel.copy %arg0 to %[[X]] sizes = [2, 8, 9, 80] from #{{.*}} into #[[PADDED]]
// CHECK-NEXT: kernel.contract %[[X]], %arg1 into %arg2 sizes = [2, 4, 3, 3, 3, 1, 80, 4] lhs #[[IMAGE]] rhs #[[KERNEL]] out #[[RESULT]]
func.func @main(%x: tensor<2x8x9x80xf32>, %w: tensor<3x3x80x4xf32>) -> tensor<2x4x3x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x8x9x80xf32>, tensor<3x3x80x4xf32>) -> tensor<2x4x3x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [0, 0]], rhs_dilate = [1, 3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x80xf32>, tensor<3x3x80x4xf32>) -> tensor<2x4x3x4xf32>
    kernel.fused %1 : tensor<2x4x3x4xf32>
  }
  return %0 : tensor<2x4x3x4xf32>
}

// -----

// Cut along positions, the image is read in windows that overlap by two rows; what lies beyond
// its ends is replaced by zeros.
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid (%[[STEP:.*]] = {{[0-9]+}}) (%[[X:.*]] : !kernel.buffer<1x300x200x80xf32, hbm> #kernel.operand<in, block = [1, [[SEEN:[0-9]+]], 200, 80], map = (d0) -> (0, d0, 0, 0), stride = [1, [[ROWS:[0-9]+]], 200, 80], offset = [0, -1, 0, 0]>
// CHECK: kernel.copy %[[X]] to %[[MOVED:.*]] sizes = [1, [[SEEN]], 200, 80]
// CHECK: kernel.map ins(%[[MOVED]] : {{.*}}) outs(%[[P:[0-9]+]] :
// CHECK: stablehlo.select
// CHECK: kernel.contract %[[P]], {{.*}} sizes = [1, [[ROWS]], 200, 3, 3, 1, 80, 4]
func.func @main(%x: tensor<1x300x200x80xf32>, %w: tensor<3x3x80x4xf32>) -> tensor<1x300x200x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 2 dim 1 by 12>]>}
      : (tensor<1x300x200x80xf32>, tensor<3x3x80x4xf32>) -> tensor<1x300x200x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x300x200x80xf32>, tensor<3x3x80x4xf32>) -> tensor<1x300x200x4xf32>
    kernel.fused %1 : tensor<1x300x200x4xf32>
  }
  return %0 : tensor<1x300x200x4xf32>
}

// -----

// Few features: two of three elements of a row of the window stand side by side along the lanes,
// the last one is a product of its own.
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 + 1, d3)>
// CHECK-DAG: #[[LANES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3 + 48)>
// CHECK-DAG: #[[PAIR:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d3, d2, d5)>
// CHECK-DAG: #[[WEIGHTS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4 * 96 + d5, d6)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d3, d2 + d4 + 2, d5)>
// CHECK-DAG: #[[OF_LAST:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d4 * 48 + d5 + 96, d6)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}}
// CHECK: %[[F:.*]] = kernel.alloc : <2x9x7x96xf32, vmem>
// CHECK: kernel.copy %arg0 to %[[F]] sizes = [2, 9, 7, 48] from #[[SECOND]] into #[[LANES]]
// CHECK: %[[K:.*]] = kernel.view %arg1 : <3x3x48x4xf32, vmem> to <3x144x4xf32, vmem>
// CHECK: kernel.contract %[[F]], %[[K]] into %arg2 sizes = [2, 7, 7, 3, 1, 96, 4] lhs #[[PAIR]] rhs #[[WEIGHTS]]
// CHECK: kernel.contract %arg0, %[[K]] into %arg2 accumulate sizes = [2, 7, 7, 3, 1, 48, 4] lhs #[[LAST]] rhs #[[OF_LAST]]
func.func @main(%x: tensor<2x9x9x48xf32>, %w: tensor<3x3x48x4xf32>) -> tensor<2x7x7x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x9x9x48xf32>, tensor<3x3x48x4xf32>) -> tensor<2x7x7x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x48xf32>, tensor<3x3x48x4xf32>) -> tensor<2x7x7x4xf32>
    kernel.fused %1 : tensor<2x7x7x4xf32>
  }
  return %0 : tensor<2x7x7x4xf32>
}

// -----

// Fewer: all elements of two of three rows of the window, one row after the other. The last row is where
// it was before.
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + 1, d2, d3)>
// CHECK-DAG: #[[BESIDE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3 + 60)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d5)>
// CHECK-DAG: #[[OF_ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3 * 120 + d5, d6)>
// CHECK-DAG: #[[THIRD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d3 + 2, d2, d5)>
// CHECK-DAG: #[[OF_THIRD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3 * 60 + d5 + 120, d6)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}}
// CHECK: %[[E:.*]] = kernel.alloc : <2x9x7x60xf32, vmem>
// CHECK: %[[F:.*]] = kernel.alloc : <2x7x7x120xf32, vmem>
// CHECK: kernel.copy %[[E]] to %[[F]] sizes = [2, 7, 7, 60]
// CHECK: kernel.copy %[[E]] to %[[F]] sizes = [2, 7, 7, 60] from #[[NEXT]] into #[[BESIDE]]
// CHECK: kernel.contract %[[F]], %[[K:.*]] into %arg2 sizes = [2, 7, 7, 1, 1, 120, 4] lhs #[[ROWS]] rhs #[[OF_ROWS]]
// CHECK: kernel.contract %[[E]], %[[K]] into %arg2 accumulate sizes = [2, 7, 7, 1, 1, 60, 4] lhs #[[THIRD]] rhs #[[OF_THIRD]]
func.func @main(%x: tensor<2x9x9x20xf32>, %w: tensor<3x3x20x4xf32>) -> tensor<2x7x7x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x9x9x20xf32>, tensor<3x3x20x4xf32>) -> tensor<2x7x7x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x20xf32>, tensor<3x3x20x4xf32>) -> tensor<2x7x7x4xf32>
    kernel.fused %1 : tensor<2x7x7x4xf32>
  }
  return %0 : tensor<2x7x7x4xf32>
}

// -----

// A filter's gradient: five rows of 20 positions, in 24 lanes each, are the depth of a product
// with the image at the same positions and an offset. In one pass they are rounded before that.
// CHECK-DAG: #[[FROM:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 5 + d4, d2 * 20 + d5, d6)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 + d2, d4 * 24 + d5, d6)>
// CHECK-DAG: #[[LANES:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 + d2, d6, d4 * 24 + d5)>
// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 5 + d4, d0 + d2 * 20 + d5, d7)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}}
// CHECK: %[[N:.*]] = kernel.alloc : <10x20x7xbf16, vmem>
// CHECK-NEXT: kernel.map ins(%arg1 : {{.*}}) outs(%[[N]] :
// CHECK: %[[G:.*]] = kernel.alloc : <2x116x7xbf16, vmem>
// CHECK: kernel.copy %[[N]] to %[[G]] sizes = [1, 2, 1, 1, 5, 20, 7, 1] from #[[FROM]] into #[[ROWS]]
// CHECK: %[[T:.*]] = kernel.alloc : <2x7x116xbf16, vmem>
// CHECK-NEXT: kernel.copy %[[G]] to %[[T]] sizes = [2, 116, 7]
// CHECK-NEXT: kernel.contract %[[T]], %arg0 into %arg2 sizes = [3, 2, 1, 1, 5, 20, 7, 80] lhs #[[LANES]] rhs #[[SEEN]]
func.func @main(%x: tensor<10x22x80xf32>, %g: tensor<10x20x7xf32>) -> tensor<3x7x80xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<10x22x80xf32>, tensor<10x20x7xf32>) -> tensor<3x7x80xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<10x22x80xf32>, tensor<10x20x7xf32>) -> tensor<3x7x80xf32>
    kernel.fused %1 : tensor<3x7x80xf32>
  }
  return %0 : tensor<3x7x80xf32>
}

// -----

// A filter's gradient with few features: three elements of the window side by side, latched at once,
// then the two others, the begin of another block; all sums then become rows.
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + 1, d2)>
// CHECK-DAG: #[[LANES:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 + 40)>
// CHECK-DAG: #[[SEEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 5 + d4, d2 * 20 + d5 + d0 * 3, d7)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 5 + d4, d2 * 20 + d5 + 3, d7)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0 * 3 + 1, d1, d2)>
// CHECK-DAG: #[[FIFTH:.*]] = affine_map<(d0, d1, d2) -> (d0 + 4, d1, d2)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}}
// CHECK: %[[F:.*]] = kernel.alloc : <10x23x120xf32, vmem>
// CHECK: kernel.copy %arg0 to %[[F]] sizes = [10, 23, 40] from #[[SECOND]] into #[[LANES]]
// CHECK: kernel.copy %arg0 to %[[F]] sizes = [10, 22, 40]
// CHECK: %[[THREE:.*]] = kernel.alloc : <1x7x120xf32, vmem>
// CHECK: %[[REST:.*]] = kernel.alloc : <1x7x80xf32, vmem>
// CHECK: kernel.contract %[[T:.*]], %[[F]] into %[[THREE]] sizes = [1, 2, 1, 1, 5, 20, 7, 120] lhs #{{.*}} rhs #[[SEEN]]
// CHECK: kernel.contract %[[T]], %[[F]] into %[[REST]] sizes = [1, 2, 1, 1, 5, 20, 7, 80] lhs #{{.*}} rhs #[[LAST]]
// CHECK: kernel.copy %[[THREE]] to %arg2 sizes = [1, 7, 40] from #[[LANES]] into #[[ROW]]
// CHECK: kernel.copy %[[REST]] to %arg2 sizes = [1, 7, 40] from #[[LANES]] into #[[FIFTH]]
func.func @main(%x: tensor<10x24x40xf32>, %g: tensor<10x20x7xf32>) -> tensor<5x7x40xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<10x24x40xf32>, tensor<10x20x7xf32>) -> tensor<5x7x40xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<10x24x40xf32>, tensor<10x20x7xf32>) -> tensor<5x7x40xf32>
    kernel.fused %1 : tensor<5x7x40xf32>
  }
  return %0 : tensor<5x7x40xf32>
}

// -----

// Windows of one row do not overlap: positions are cut as the image is, and what it is made from with
// it, here a transposition within the kernel.
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid (%{{.*}} = {{[0-9]+}}) (%{{.*}} : !kernel.buffer<1x300x20x200xf32, hbm> #kernel.operand<in, block = [1, [[ROWS:[0-9]+]], 20, 200], map = (d0) -> (0, d0, 0, 0)>
// CHECK: kernel.alloc : <1x[[ROWS]]x200x20xf32, vmem>
// CHECK: kernel.contract
func.func @main(%x: tensor<1x300x20x200xf32>, %w: tensor<1x3x20x64xf32>) -> tensor<1x300x198x64xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 3 dim 1 by 12>]>}
      : (tensor<1x300x20x200xf32>, tensor<1x3x20x64xf32>) -> tensor<1x300x198x64xf32> {
    %t = stablehlo.transpose %a, dims = [0, 1, 3, 2] : (tensor<1x300x20x200xf32>) -> tensor<1x300x200x20xf32>
    %1 = stablehlo.convolution(%t, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x300x200x20xf32>, tensor<1x3x20x64xf32>) -> tensor<1x300x198x64xf32>
    kernel.fused %1 : tensor<1x300x198x64xf32>
  }
  return %0 : tensor<1x300x198x64xf32>
}

// -----

// Phases of an image that is dilated by two: even positions see two taps of three, odd ones the
// tap between these.
// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d2, d4)>
// CHECK-DAG: #[[OUTER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2 * 2, d4, d5)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d2 + 1, d4)>
// CHECK-DAG: #[[INNER:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2 * 2 + 1, d4, d5)>
// CHECK-DAG: #[[TO_EVEN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2, d2)>
// CHECK-DAG: #[[TO_ODD:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + 1, d2)>
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}}
// CHECK: kernel.contract %[[X:.*]], %arg1 into %[[A:.*]] sizes = [2, 5, 2, 1, 64, 4] lhs #[[EVEN]] rhs #[[OUTER]]
// CHECK: kernel.copy %[[A]] to %arg2 sizes = [2, 5, 4] from #{{.*}} into #[[TO_EVEN]]
// CHECK: kernel.contract %[[X]], %arg1 into %[[B:.*]] sizes = [2, 4, 1, 1, 64, 4] lhs #[[ODD]] rhs #[[INNER]]
// CHECK: kernel.copy %[[B]] to %arg2 sizes = [2, 4, 4] from #{{.*}} into #[[TO_ODD]]
func.func @main(%x: tensor<2x4x64xf32>, %w: tensor<3x64x4xf32>) -> tensor<2x9x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x4x64xf32>, tensor<3x64x4xf32>) -> tensor<2x9x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x64xf32>, tensor<3x64x4xf32>) -> tensor<2x9x4xf32>
    kernel.fused %1 : tensor<2x9x4xf32>
  }
  return %0 : tensor<2x9x4xf32>
}

// -----

// Features by themselves: a map over windows of the image, with a row of weights each.
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2, d2)>
// CHECK-DAG: #[[OF_FIRST:.*]] = affine_map<(d0, d1, d2) -> (0, 0, d2)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + 3, d2)>
// CHECK-DAG: #[[OF_SECOND:.*]] = affine_map<(d0, d1, d2) -> (1, 0, d2)>
// CHECK: kernel.map ins(%arg0, %arg1, %arg0, %arg1 : {{.*}}) outs(%arg2 : {{.*}}) maps = [#[[FIRST]], #[[OF_FIRST]], #[[SECOND]], #[[OF_SECOND]]] {
// CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>):
// CHECK: %[[P:.*]] = stablehlo.multiply %[[A]], %[[B]]
// CHECK: %[[Q:.*]] = stablehlo.multiply %[[C]], %[[D]]
// CHECK: stablehlo.add %[[P]], %[[Q]]
func.func @main(%x: tensor<2x9x8xf32>, %w: tensor<2x1x8xf32>) -> tensor<2x3x8xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x9x8xf32>, tensor<2x1x8xf32>) -> tensor<2x3x8xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], rhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x9x8xf32>, tensor<2x1x8xf32>) -> tensor<2x3x8xf32>
    kernel.fused %1 : tensor<2x3x8xf32>
  }
  return %0 : tensor<2x3x8xf32>
}

// -----

// The gradient of their filter: a sum for each tap, over positions in eights, of which those
// beyond the ninth are left out.
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + 1, d2)>
// CHECK: %[[X:.*]] = kernel.alloc : <2x17x4xf32, vmem>
// CHECK: %[[G:.*]] = kernel.alloc : <2x16x4xf32, vmem>
// CHECK: kernel.reduce ins(%[[G]], %[[X]], %[[X]] : {{.*}}) {{.*}} sizes = [2, 16, 4] dims = [0, 1] maps = [#[[SAME:.*]], #[[SAME]], #[[TAP]]] {
// CHECK: stablehlo.select
func.func @main(%x: tensor<2x10x4xf32>, %g: tensor<2x9x4xf32>) -> tensor<2x1x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<2x10x4xf32>, tensor<2x9x4xf32>) -> tensor<2x1x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x10x4xf32>, tensor<2x9x4xf32>) -> tensor<2x1x4xf32>
    kernel.fused %1 : tensor<2x1x4xf32>
  }
  return %0 : tensor<2x1x4xf32>
}

// -----

// In chunks of 1025 positions, 1032 are seven more than the block of the image is for: what they see is behind its
// 1027 elements in a longer copy.
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid (%{{.*}} = 4) (%[[X:.*]] : !kernel.buffer<1x4102x128xf32, hbm> #kernel.operand<in, block = [1, 1027, 128],
// CHECK: %[[PADDED:.*]] = kernel.alloc : <1x1034x128xf32, vmem>
// CHECK: %[[MOVED:.*]] = kernel.alloc : <1x1034x128xf32, vmem>
// CHECK: kernel.copy %[[X]] to %[[MOVED]] sizes = [1, 1027, 128] from #[[NONE:.*]] into #[[NONE]] :
// CHECK: kernel.map ins(%[[MOVED]] : {{.*}}) outs(%[[PADDED]] :
// CHECK: kernel.reduce ins(%{{.*}}, %[[PADDED]], %[[PADDED]], %[[PADDED]] : {{.*}}) {{.*}} sizes = [1, 1032, 128]
// CHECK: stablehlo.select
func.func @main(%x: tensor<1x4102x128xf32>, %g: tensor<1x4100x128xf32>) -> tensor<3x1x128xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 1025>]>}
      : (tensor<1x4102x128xf32>, tensor<1x4100x128xf32>) -> tensor<3x1x128xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {} {batch_group_count = 128 : i64, feature_group_count = 1 : i64} : (tensor<1x4102x128xf32>, tensor<1x4100x128xf32>) -> tensor<3x1x128xf32>
    kernel.fused %1 : tensor<3x1x128xf32>
  }
  return %0 : tensor<3x1x128xf32>
}

// -----

// Three planes of 64 x 64 do not fit, so planes are cut, too: the image comes in windows that overlap along
// both dimensions, and what lies beyond either's ends is replaced.
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid (%[[D:.*]] = {{[0-9]+}}, %[[H:.*]] = {{[0-9]+}}) (%[[X:.*]] : !kernel.buffer<1x64x64x64x80xf32, hbm> #kernel.operand<in, block = [1, [[SEEN_D:[0-9]+]], [[SEEN_H:[0-9]+]], 64, 80], map = (d0, d1) -> (0, d0, d1, 0, 0), stride = [1, [[OF_D:[0-9]+]], [[OF_H:[0-9]+]], 64, 80], offset = [0, -1, -1, 0, 0]>
// CHECK: kernel.copy %[[X]] to %[[MOVED:.*]] sizes = [1, [[SEEN_D]], [[SEEN_H]], 64, 80]
// CHECK: kernel.map ins(%[[MOVED]] : {{.*}}) outs(%[[P:[0-9]+]] :
// CHECK: kernel.index 1
// CHECK: kernel.index 2
// CHECK: kernel.index 3
// CHECK: stablehlo.select
// CHECK: kernel.contract %[[P]], {{.*}} sizes = [1, [[OF_D]], [[OF_H]], 64, 3, 3, 3, 1, 80, 4]
func.func @main(%x: tensor<1x64x64x64x80xf32>, %w: tensor<3x3x3x80x4xf32>) -> tensor<1x64x64x64x4xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = [<value 2 dim 1 by 4>, <value 2 dim 2 by 4>]>}
      : (tensor<1x64x64x64x80xf32>, tensor<3x3x3x80x4xf32>) -> tensor<1x64x64x64x4xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f], window = {pad = [[1, 1], [1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x64x64x64x80xf32>, tensor<3x3x3x80x4xf32>) -> tensor<1x64x64x64x4xf32>
    kernel.fused %1 : tensor<1x64x64x64x4xf32>
  }
  return %0 : tensor<1x64x64x64x4xf32>
}

// -----

// So are the positions that a filter's gradient adds up, in chunks along both: a plane of the gradient by
// itself would need three of the image.
// CHECK: kernel.func @{{[^ (]*}}convolution{{[^ (]*}} grid (%{{.*}} = 64, %{{.*}} = [[CHUNKS:[0-9]+]]) (%{{.*}} : !kernel.buffer<1x66x66x64x80xf32, hbm> #kernel.operand<in, block = [1, 3, {{[0-9]+}}, 64, 80], map = (d0, d1) -> (0, d0, d1, 0, 0), stride = [1, 1, [[ROWS:[0-9]+]], 64, 80], offset = [0, 0, 0, 0, 0]>, %{{.*}} : !kernel.buffer<1x64x64x64x4xf32, hbm> #kernel.operand<in, block = [1, 1, [[ROWS]], 64, 4], map = (d0, d1) -> (0, d0, d1, 0, 0)>
// CHECK: kernel.contract {{.*}} accumulate
func.func @main(%x: tensor<1x66x66x64x80xf32>, %g: tensor<1x64x64x64x4xf32>) -> tensor<3x3x1x4x80xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %g) attributes {plan = #kernel.plan<axes = [<value 1 dim 1 by 1>, <value 1 dim 2 by 8>]>}
      : (tensor<1x66x66x64x80xf32>, tensor<1x64x64x64x4xf32>) -> tensor<3x3x1x4x80xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, 2, b]x[i, 0, 1, 2, o]->[0, 1, 2, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x66x66x64x80xf32>, tensor<1x64x64x64x4xf32>) -> tensor<3x3x1x4x80xf32>
    kernel.fused %1 : tensor<3x3x1x4x80xf32>
  }
  return %0 : tensor<3x3x1x4x80xf32>
}

// -----

// Of pairs of positions the outer ones that a window sees have weights for one position each: products of the others
// are left out. The pair in the middle comes first, since all results have summands of it.
// CHECK: kernel.contract %[[P:[^ ]*]], %[[W:[^ ]*]] into %[[R:[^ ]*]] sizes = [1, 4, 4, 3, 1, 1, 128, 128] lhs #{{[^ ]*}} rhs #{{[^ ]*}} out #{{[^ ]*}} :
// CHECK: kernel.contract %[[P]], %[[W]] into %[[R]] accumulate sizes = [1, 4, 4, 3, 1, 1, 128, 128] {{.*}}lhsLanes = array<i64: 64, 128>, outLanes = array<i64: 0, 64>
// CHECK: kernel.contract %[[P]], %[[W]] into %[[R]] accumulate sizes = [1, 4, 4, 3, 1, 1, 128, 128] {{.*}}lhsLanes = array<i64: 0, 64>, outLanes = array<i64: 64, 128>
func.func @main(%x: tensor<1x4x4x128xf32>, %w: tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<1x4x4x128xf32>, tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, kernel.depth_blocks = array<i64: 2, 3, 1>} : (tensor<1x4x4x128xf32>, tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32>
    kernel.fused %1 : tensor<1x4x4x128xf32>
  }
  return %0 : tensor<1x4x4x128xf32>
}

// -----

// An attribute that is of another convolution has no effect.
// CHECK: kernel.contract %{{.*}} sizes = [1, 4, 4, 3, 3, 1, 128, 128] lhs #{{[^ ]*}} rhs #{{[^ ]*}} out #{{[^ ]*}} :
// CHECK-NOT: kernel.contract
func.func @main(%x: tensor<1x4x4x128xf32>, %w: tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32> {
  %0 = kernel.fusion "convolution" (%a = %x, %b = %w) attributes {plan = #kernel.plan<axes = []>}
      : (tensor<1x4x4x128xf32>, tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32> {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, kernel.depth_blocks = array<i64: 2, 9, 1>} : (tensor<1x4x4x128xf32>, tensor<3x3x128x128xf32>) -> tensor<1x4x4x128xf32>
    kernel.fused %1 : tensor<1x4x4x128xf32>
  }
  return %0 : tensor<1x4x4x128xf32>
}
