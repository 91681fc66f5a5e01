// Kernels written by hand, each of one kind of stage, as vector instructions.
// RUN: %systole-opt %s --systole-codegen=target=v3 --split-input-file | FileCheck %s

// 64 rows of 512 bytes are 8,192 words: one copy in, eight vectors of eight rows, one copy out. Buffers
// follow four regions of spills, arrays in HBM come last and are the routine's arguments.
// CHECK: core.regions = [
// CHECK-COUNT-4: name = "spill"
// CHECK-SAME: #core.region<name = "operand0", space = vmem, base = 0, size = 64, owner = "negate">
// CHECK-SAME: #core.region<name = "operand1", space = vmem, base = 64, size = 64, owner = "negate">
// CHECK-SAME: #core.region<name = "x", space = hbm, base = 0, size = 64, owner = "">
// CHECK-SAME: #core.region<name = "y", space = hbm, base = 64, size = 64, owner = "">
// CHECK-LABEL: func.func private @negate(
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK: core.dma.start %c0_i32, %c0_i32, %c4_i32{{.*}}, %[[X]], %c-1_i32 {descriptor = #core.dma<hbm to vmem, chunk = 8192
// CHECK-NEXT: core.wait %c1_i32 {flag = [[IN:[0-9]+]] : i32}
// CHECK: scf.for %[[ROW:.*]] = %c0_i32 to %c64_i32 step %c8_i32
// CHECK-NEXT: %[[A:.*]] = core.vld.b32 %[[ROW]], %c1_i32, %{{.*}} {offset = 0 : i32, region = 4 : i32}
// CHECK-NEXT: %[[B:.*]] = core.v.xor %[[A]], %c-2147483648_i32
// CHECK-NEXT: core.vst.b32 %[[B]], %[[ROW]], %c1_i32, %{{.*}} {offset = 0 : i32, region = 5 : i32}
// CHECK-NEXT: } {core.noalias_iterations}
// CHECK: core.dma.start %c0_i32, %c0_i32, %[[Y]], %c5_i32{{.*}}, %c-1_i32 {descriptor = #core.dma<vmem to hbm, chunk = 8192
// CHECK-NEXT: core.wait %c1_i32
// CHECK-NEXT: return
// CHECK-LABEL: func.func @main()
// CHECK: call @negate(%c6_i32, %c7_i32) {core.kernel = {bytes = 65536 : i64, flops = 8192 : i64, kind = "loop", name = "negate",
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 64, base = 0>, #kernel.hbm_region<"y", rows = 64, base = 64>]} {
  kernel.func @negate grid () (%x : !kernel.buffer<64x128xf32, hbm> #kernel.operand<in, block = [64, 128], map = () -> (0, 0)>, %y : !kernel.buffer<64x128xf32, hbm> #kernel.operand<out, block = [64, 128], map = () -> (0, 0)>) attributes {source = "", flops = 8192 : i64, bytes = 65536 : i64, kind = "loop"} {
    kernel.map ins(%x : !kernel.buffer<64x128xf32, vmem>) outs(%y : !kernel.buffer<64x128xf32, vmem>) maps = [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.negate %a : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<64x128xf32, hbm>
    %y = kernel.hbm 1 : !kernel.buffer<64x128xf32, hbm>
    kernel.call @negate(%x, %y) : !kernel.buffer<64x128xf32, hbm>, !kernel.buffer<64x128xf32, hbm>
    return
  }
}

// -----

// A grid of four blocks of 16 rows, 2,048 words. Both operands have two halves of 16 rows: a half goes
// out once it is computed, and takes the block of two steps later once it has been read. Copies without
// a next block copy nothing: they are done at once, so that the last step waits for two.
// CHECK: #core.region<name = "operand0", space = vmem, base = 0, size = 32, owner = "step">
// CHECK-SAME: #core.region<name = "operand1", space = vmem, base = 32, size = 32, owner = "step">
// CHECK-LABEL: func.func private @step(
// CHECK: core.dma.start %c0_i32, %c0_i32, {{.*}}<hbm to vmem, chunk = 2048 {{.*}}flag = 0 : i32}
// CHECK: core.dma.start %c16_i32, %c16_i32, {{.*}}<hbm to vmem, chunk = 2048 {{.*}}flag = 0 : i32}
// CHECK-NEXT: scf.for %[[I:.*]] = %c0_i32 to %c4_i32 step %c1_i32
// CHECK-NEXT: %[[NEXT:.*]] = core.s.add %[[I]], %c1_i32
// CHECK-NEXT: %[[MORE:.*]] = core.s.lt %[[NEXT]], %c4_i32
// CHECK-NEXT: %[[ODD:.*]] = core.s.and %[[I]], %c1_i32
// CHECK-NEXT: %[[OLD:.*]] = core.s.lt %c1_i32, %[[I]]
// CHECK-NEXT: %[[EMPTY:.*]] = core.s.sub %c1_i32, %[[MORE]]
// CHECK-NEXT: %[[COUNT:.*]] = core.s.add %[[EMPTY]], %c1_i32
// CHECK-NEXT: core.wait %[[COUNT]] {flag = 0 : i32}
// CHECK-NEXT: core.wait %[[OLD]] {flag = 1 : i32}
// CHECK-COUNT-2: core.vst.b32
// CHECK-NOT: core.vst.b32
// CHECK: %[[LATER:.*]] = core.s.add %[[I]], %c2_i32
// CHECK-NEXT: %[[ANY:.*]] = core.s.lt %[[LATER]], %c4_i32
// CHECK: %[[HALF:.*]] = core.s.shl %[[ODD]], %c4_i32
// CHECK-NEXT: %[[BLOCKS:.*]] = core.s.sel %[[ANY]], %c1_i32, %c0_i32
// CHECK: core.dma.start %[[HALF]], {{.*}}, %[[BLOCKS]] {{.*}}<hbm to vmem, chunk = 2048 {{.*}}flag = 0 : i32}
// CHECK: core.dma.start {{.*}}<vmem to hbm, chunk = 2048 {{.*}}flag = 1 : i32}
// CHECK-NEXT: }
// CHECK-NEXT: core.wait %c1_i32 {flag = 0 : i32}
// CHECK-NEXT: core.wait %c1_i32 {flag = 1 : i32}
// CHECK-NEXT: core.wait %c1_i32 {flag = 1 : i32}
// CHECK-NEXT: return
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 64, base = 0>, #kernel.hbm_region<"y", rows = 64, base = 64>]} {
  kernel.func @step grid (%g = 4) (%x : !kernel.buffer<64x128xf32, hbm> #kernel.operand<in, block = [16, 128], map = (d0) -> (d0, 0)>, %y : !kernel.buffer<64x128xf32, hbm> #kernel.operand<out, block = [16, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 65536 : i64, kind = "loop"} {
    kernel.copy %x to %y sizes = [16, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)> : <16x128xf32, vmem>, <16x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<64x128xf32, hbm>
    %y = kernel.hbm 1 : !kernel.buffer<64x128xf32, hbm>
    kernel.call @step(%x, %y) : !kernel.buffer<64x128xf32, hbm>, !kernel.buffer<64x128xf32, hbm>
    return
  }
}

// -----

// 24 rows are three vectors, added in order; then sublanes 4, 2 and 1 apart. The initial value, which
// is broadcast from its lane, comes in the end, and one row is stored.
// CHECK-LABEL: func.func private @sum(
// CHECK: %[[FIRST:.*]] = core.v.lt %{{.*}}, %c1_i32
// CHECK: core.xlu.bcast %{{.*}}, %c0_i32
// CHECK-NEXT: %[[INIT:.*]] = core.xlu.pop
// CHECK-NEXT: %[[V0:.*]] = core.vld.b32 {{.*}}{offset = 0 : i32
// CHECK-NEXT: %[[V1:.*]] = core.vld.b32 {{.*}}{offset = 8 : i32
// CHECK-NEXT: %[[S1:.*]] = core.v.fadd %[[V0]], %[[V1]]
// CHECK-NEXT: %[[V2:.*]] = core.vld.b32 {{.*}}{offset = 16 : i32
// CHECK-NEXT: %[[S2:.*]] = core.v.fadd %[[S1]], %[[V2]]
// CHECK-NEXT: %[[R4:.*]] = core.v.rots %[[S2]], %c4_i32
// CHECK-NEXT: %[[S3:.*]] = core.v.fadd %[[S2]], %[[R4]]
// CHECK-NEXT: %[[R2:.*]] = core.v.rots %[[S3]], %c6_i32
// CHECK-NEXT: %[[S4:.*]] = core.v.fadd %[[S3]], %[[R2]]
// CHECK-NEXT: %[[R1:.*]] = core.v.rots %[[S4]], %c7_i32
// CHECK-NEXT: %[[S5:.*]] = core.v.fadd %[[S4]], %[[R1]]
// CHECK-NEXT: %[[SUM:.*]] = core.v.fadd %[[INIT]], %[[S5]]
// CHECK-NEXT: core.vst.b32 %[[SUM]], %c0_i32, %c0_i32, %[[FIRST]]
// CHECK-NEXT: return
module attributes {kernel.hbm_plan = []} {
  kernel.func @sum grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "reduce"} {
    %x = kernel.alloc : !kernel.buffer<24x100xf32, vmem>
    %z = kernel.alloc : !kernel.buffer<f32, vmem>
    %y = kernel.alloc : !kernel.buffer<100xf32, vmem>
    kernel.reduce ins(%x : !kernel.buffer<24x100xf32, vmem>) inits(%z : !kernel.buffer<f32, vmem>) outs(%y : !kernel.buffer<100xf32, vmem>) sizes = [24, 100] dims = [0] maps = [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%a: tensor<f32>):
      kernel.yield %a : tensor<f32>
    } combine {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    kernel.call @sum()
    return
  }
}

// -----

// A block of 128 x 128: sixteen vectors go in, the last of which says how many come out.
// CHECK-LABEL: func.func private @transpose(
// CHECK-COUNT-15: core.xlu.tr %
// CHECK-NOT: core.xlu.tr %
// CHECK: core.vld.b32 {{.*}}{offset = 120 : i32
// CHECK-NEXT: core.xlu.tr.end %{{.*}} {pops = 16 : i32}
// CHECK-COUNT-16: core.xlu.pop
// CHECK-NOT: core.xlu.pop
// CHECK: core.vst.b32 {{.*}}{offset = 120 : i32
// CHECK-NEXT: return
module attributes {kernel.hbm_plan = []} {
  kernel.func @transpose grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
    %x = kernel.alloc : !kernel.buffer<128x128xf32, vmem>
    %y = kernel.alloc : !kernel.buffer<128x128xf32, vmem>
    kernel.copy %x to %y sizes = [128, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d1, d0)> : <128x128xf32, vmem>, <128x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    kernel.call @transpose()
    return
  }
}

// -----

// Lanes 0 to 27 to lanes 100 to 127: a rotation by 100, and a mask of the lanes from 100 on.
// CHECK-LABEL: func.func private @rotate(
// CHECK: %[[LANE:.*]] = core.v.lane
// CHECK-NEXT: %[[MASK:.*]] = core.v.le %c100_i32, %[[LANE]]
// CHECK: core.xlu.rotate %{{.*}}, %c100_i32
// CHECK-NEXT: %[[ROTATED:.*]] = core.xlu.pop
// CHECK-NEXT: core.vst.b32 %[[ROTATED]], %c0_i32, %c1_i32, %[[MASK]]
// CHECK-NEXT: return
module attributes {kernel.hbm_plan = []} {
  kernel.func @rotate grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
    %x = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
    %y = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
    kernel.copy %x to %y sizes = [8, 28] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1 + 100)> : <8x128xf32, vmem>, <8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    kernel.call @rotate()
    return
  }
}

// -----

// Weights of 128 x 128 are latched in sixteen groups of eight rows; one group of eight rows streams past
// them.
// CHECK-LABEL: func.func private @dot(
// CHECK-COUNT-16: core.mxu.latch {{.*}}{mxu = 0 : i32}
// CHECK-NOT: core.mxu.latch
// CHECK: core.mxu.swap %c128_i32, %c128_i32 {mxu = 0 : i32}
// CHECK-NEXT: %[[X:.*]] = core.vld.bf16 %c0_i32, %c1_i32, %{{.*}} {offset = 0 : i32, region = 4 : i32}
// CHECK-NEXT: core.mxu.push %[[X]], %c8_i32 {mxu = 0 : i32}
// CHECK-NEXT: %[[Z:.*]] = core.mxu.pop {mxu = 0 : i32}
// CHECK-NEXT: core.vst.b32 %[[Z]], %c0_i32, %c1_i32, %{{.*}} {offset = 0 : i32, region = 6 : i32}
// CHECK-NEXT: return
module attributes {kernel.hbm_plan = []} {
  kernel.func @dot grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    %x = kernel.alloc : !kernel.buffer<8x128xbf16, vmem>
    %w = kernel.alloc : !kernel.buffer<128x128xbf16, vmem>
    %z = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
    kernel.dot %x, %w into %z : !kernel.buffer<8x128xbf16, vmem>, !kernel.buffer<128x128xbf16, vmem>, !kernel.buffer<8x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    kernel.call @dot()
    return
  }
}

// -----

// Three blocks of 128 x 128 of bf16: two of them pass through the unit together, one in each half of
// every cell. The last one passes alone.
// CHECK-LABEL: func.func private @transpose_narrow(
// CHECK: %[[LOW:.*]] = core.vld.u16 {{.*}}{offset = 0 : i32
// CHECK-NEXT: %[[HIGH:.*]] = core.vld.u16 {{.*}}{offset = 128 : i32
// CHECK-NEXT: %[[SHIFTED:.*]] = core.v.shl %[[HIGH]], %c16_i32
// CHECK-NEXT: %[[BOTH:.*]] = core.v.or %[[LOW]], %[[SHIFTED]]
// CHECK-NEXT: core.xlu.tr %[[BOTH]]
// CHECK: core.xlu.tr.end %{{.*}} {pops = 16 : i32}
// CHECK-NEXT: %[[POPPED:.*]] = core.xlu.pop
// CHECK-NEXT: core.vst.b16 %[[POPPED]], {{.*}}{offset = 0 : i32
// CHECK-NEXT: %[[SECOND:.*]] = core.v.shr %[[POPPED]], %c16_i32
// CHECK-NEXT: core.vst.b16 %[[SECOND]], {{.*}}{offset = 1 : i32
// CHECK: core.xlu.tr.end
// CHECK-NOT: core.v.shr
// CHECK: return
module attributes {kernel.hbm_plan = []} {
  kernel.func @transpose_narrow grid () () attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop"} {
    %x = kernel.alloc : <384x128xbf16, vmem>
    %y = kernel.alloc : <128x384xbf16, vmem>
    kernel.copy %x to %y sizes = [384, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d1, d0)> : <384x128xbf16, vmem>, <128x384xbf16, vmem>
    kernel.return
  }
  func.func @main() {
    kernel.call @transpose_narrow()
    return
  }
}
