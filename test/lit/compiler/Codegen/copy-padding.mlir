// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s

// 99 rows of booleans, each four of which are a row of 512 bytes, take 26 of these in VMEM. In HBM they are padded to
// 108, 27 of 512 bytes: a copy of one array moves the 25 that have elements, a copy of two the padding between them.
// CHECK-LABEL: func.func private @one(
// CHECK-COUNT-2: descriptor = #core.dma<{{hbm to vmem|vmem to hbm}}, chunk = 3200>
// CHECK-LABEL: func.func private @two(
// CHECK: descriptor = #core.dma<vmem to hbm, chunk = 6912>
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"stack", rows = 298, base = 0>]} {
  kernel.func @one grid () (%stack : !kernel.buffer<11x11x3x1x3x3xi1, hbm> #kernel.operand<raw, block = [11, 11, 3, 1, 3, 3], map = () -> (0, 0, 0, 0, 0, 0)>) scalars (%i) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "copy"} {
    %c0 = arith.constant 0 : i32
    %part = kernel.alloc : !kernel.buffer<11x3x1x3x3xi1, vmem>
    %slab = kernel.view %part : !kernel.buffer<11x3x1x3x3xi1, vmem> to !kernel.buffer<1x11x3x1x3x3xi1, vmem>
    kernel.copy %stack at[%i, %c0, %c0, %c0, %c0, %c0] to %slab sizes = [1, 11, 3, 1, 3, 3] from affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> into affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> : !kernel.buffer<11x11x3x1x3x3xi1, hbm>, !kernel.buffer<1x11x3x1x3x3xi1, vmem>
    kernel.copy %slab to %stack at[%i, %c0, %c0, %c0, %c0, %c0] sizes = [1, 11, 3, 1, 3, 3] from affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> into affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> : !kernel.buffer<1x11x3x1x3x3xi1, vmem>, !kernel.buffer<11x11x3x1x3x3xi1, hbm>
    kernel.return
  }
  kernel.func @two grid () (%stack : !kernel.buffer<11x11x3x1x3x3xi1, hbm> #kernel.operand<raw, block = [11, 11, 3, 1, 3, 3], map = () -> (0, 0, 0, 0, 0, 0)>) scalars (%i) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "copy"} {
    %c0 = arith.constant 0 : i32
    %slabs = kernel.alloc : !kernel.buffer<2x11x3x1x3x3xi1, vmem>
    kernel.copy %slabs to %stack at[%i, %c0, %c0, %c0, %c0, %c0] sizes = [2, 11, 3, 1, 3, 3] from affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> into affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)> : !kernel.buffer<2x11x3x1x3x3xi1, vmem>, !kernel.buffer<11x11x3x1x3x3xi1, hbm>
    kernel.return
  }
  func.func @main() {
    %stack = kernel.hbm 0 : !kernel.buffer<11x11x3x1x3x3xi1, hbm>
    %c1 = arith.constant 1 : i32
    kernel.call @one(%stack) scalars(%c1) : !kernel.buffer<11x11x3x1x3x3xi1, hbm>
    kernel.call @two(%stack) scalars(%c1) : !kernel.buffer<11x11x3x1x3x3xi1, hbm>
    return
  }
}
