// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s

// 64 rows of 32 lanes, two chunks of 16 columns. Integers are sorted by minimum and maximum: first eight rows in
// registers, 19 comparators of one vector each.
// CHECK-LABEL: func.func private @sort(
// CHECK-COUNT-8: core.vld.b32
// CHECK-COUNT-19: core.v.max
// CHECK-COUNT-8: core.vst.b32
// Levels of 16, 32 and 64 rows: mirror images, which are read from the end, distances, and eight rows in 12 comparators.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: core.vld.b32 %{{.*}}, %c1_i32,
// CHECK: core.vld.b32 %{{.*}}, %c-1_i32,
// CHECK: core.v.min
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-12: core.v.max
// The chunks: lanes of mirrored rows are gathered, and there is no other bit of lanes to exchange.
// CHECK: core.xlu.gather
// CHECK: core.xlu.gather
// CHECK: core.v.sel
// Two elements of 40 groups of lanes: vectors across eight of them.
// CHECK-LABEL: func.func private @take(
// CHECK: core.v.shr %{{.*}}, %c7_i32
// CHECK: core.vld.b32 %{{.*}}, %c0_i32
// CHECK: core.xlu.gather
// CHECK: core.v.eq
// CHECK: core.v.sel
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 64, base = 0>, #kernel.hbm_region<"y", rows = 64, base = 64>, #kernel.hbm_region<"t", rows = 8, base = 128>, #kernel.hbm_region<"i", rows = 40, base = 136>, #kernel.hbm_region<"o", rows = 40, base = 176>]} {
  kernel.func @sort grid () (%x : !kernel.buffer<1x64x32xi32, hbm> #kernel.operand<in, block = [1, 64, 32], map = () -> (0, 0, 0)>, %y : !kernel.buffer<1x64x32xi32, hbm> #kernel.operand<out, block = [1, 64, 32], map = () -> (0, 0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "sort"} {
    kernel.sort ins(%x : !kernel.buffer<1x64x32xi32, vmem>) outs(%y : !kernel.buffer<1x64x32xi32, vmem>) chunks = 2 {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      kernel.yield %p : tensor<i1>
    }
    kernel.return
  }
  kernel.func @take grid () (%t : !kernel.buffer<1x200xf32, hbm> #kernel.operand<in, block = [1, 200], map = () -> (0, 0)>, %i : !kernel.buffer<1x5120xi32, hbm> #kernel.operand<in, block = [1, 5120], map = () -> (0, 0)>, %o : !kernel.buffer<1x5120xf32, hbm> #kernel.operand<out, block = [1, 5120], map = () -> (0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "copy"} {
    kernel.take %t at %i into %o : !kernel.buffer<1x200xf32, vmem>, !kernel.buffer<1x5120xi32, vmem>, !kernel.buffer<1x5120xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %0 = kernel.hbm 0 : <1x64x32xi32, hbm>
    %1 = kernel.hbm 1 : <1x64x32xi32, hbm>
    %2 = kernel.hbm 2 : <1x200xf32, hbm>
    %3 = kernel.hbm 3 : <1x5120xi32, hbm>
    %4 = kernel.hbm 4 : <1x5120xf32, hbm>
    kernel.call @sort(%0, %1) : !kernel.buffer<1x64x32xi32, hbm>, !kernel.buffer<1x64x32xi32, hbm>
    kernel.call @take(%2, %3, %4) : !kernel.buffer<1x200xf32, hbm>, !kernel.buffer<1x5120xi32, hbm>, !kernel.buffer<1x5120xf32, hbm>
    return
  }
}
