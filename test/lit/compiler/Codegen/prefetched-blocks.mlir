// The first block of a kernel's operand is loaded by the kernel before it, behind the copies of its
// last steps.
// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// In the last step but one, behind that step's prefetch, and waited for at the end.
// CHECK-LABEL: func.func private @first(%arg0: i32, %arg1: i32, %arg2: i32)
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c4_i32
// CHECK: %[[NOW:.*]] = core.s.eq %[[STEP]], %c2_i32
// CHECK: %[[IF:.*]] = core.cond %[[NOW]]
// CHECK: scf.if %[[IF]] {
// CHECK: core.dma.start {{.*}}, %arg2, {{.*}}hbm to vmem, chunk = 65536{{.*}}flag = 62
// CHECK: core.v.fadd
// CHECK: core.wait %c1_i32 {flag = 62
// CHECK: return

// The second one takes its first block as copied, and loads the one behind it.
// CHECK-LABEL: func.func private @second(%arg0: i32, %arg1: i32)
// CHECK-NOT: core.dma.start
// CHECK: core.flag.add %c1_i32, %c-1_i32 {flag = [[FLAG:[0-9]+]] : i32}
// CHECK: core.dma.start %c512_i32, %c512_i32, {{.*}}, %arg0, {{.*}}flag = [[FLAG]] : i32}
// CHECK: scf.for
// CHECK: core.wait %{{.*}} {flag = [[FLAG]] : i32}
module attributes {kernel.vmem_plan = [#kernel.placement<next, rows = 1024, place = 1024>], kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 4096, base = 0>, #kernel.hbm_region<"y", rows = 4096, base = 4096>, #kernel.hbm_region<"b", rows = 1024, base = 8192>, #kernel.hbm_region<"z", rows = 1024, base = 9216>]} {
  kernel.func @first grid (%i = 4) (%x : !kernel.buffer<4096x128xf32, hbm> #kernel.operand<in, block = [1024, 128], map = (d0) -> (d0, 0)>, %y : !kernel.buffer<4096x128xf32, hbm> #kernel.operand<out, block = [1024, 128], map = (d0) -> (d0, 0)>, %b : !kernel.buffer<1024x128xf32, hbm> #kernel.operand<prefetch, block = [512, 128], map = (d0) -> (0, 0), buffers = 1, resident = 1024>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop", reserved = 1024 : i64} {
    kernel.map ins(%x : !kernel.buffer<1024x128xf32, vmem>) outs(%y : !kernel.buffer<1024x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.add %a, %a : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  kernel.func @second grid (%i = 2) (%b : !kernel.buffer<1024x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0), prefetched = 1024>, %z : !kernel.buffer<1024x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "loop", reserved = 1024 : i64} {
    kernel.map ins(%b : !kernel.buffer<512x128xf32, vmem>) outs(%z : !kernel.buffer<512x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.add %a, %a : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<4096x128xf32, hbm>
    %y = kernel.hbm 1 : !kernel.buffer<4096x128xf32, hbm>
    %b = kernel.hbm 2 : !kernel.buffer<1024x128xf32, hbm>
    %z = kernel.hbm 3 : !kernel.buffer<1024x128xf32, hbm>
    kernel.call @first(%x, %y, %b) {placements = array<i32: -1, -1, 0>} : !kernel.buffer<4096x128xf32, hbm>, !kernel.buffer<4096x128xf32, hbm>, !kernel.buffer<1024x128xf32, hbm>
    kernel.call @second(%b, %z) {placements = array<i32: 0, -1>} : !kernel.buffer<1024x128xf32, hbm>, !kernel.buffer<1024x128xf32, hbm>
    return
  }
}
