// RUN: %systole-opt %s --systole-codegen=target=v6e | FileCheck %s

// 15 rows of bf16 take 16 in VMEM. As the only one of several parts they would be padded to 18: rows that a stage may
// read if it goes on beyond the elements end with the memory, so that the last group of eight is masked.
// CHECK-LABEL: func.func private @sum(
// CHECK: %[[FIVE:.*]] = core.v.lt %{{.*}}, %c5_i32
// CHECK-COUNT-3: core.vld.bf16 %{{.*}}, %c3_i32, %[[FIVE]] {
// CHECK-NOT: core.vld.bf16
// CHECK-LABEL: func.func private @last(
// CHECK: %[[FIVE:.*]] = core.v.lt %{{.*}}, %c5_i32
// CHECK: core.vld.bf16 %{{.*}}, %c3_i32, %[[FIVE]] {offset = 2
// Parts of an operand are computed from 135 rows, not from 138.
// CHECK-LABEL: func.func private @product(
// CHECK: %[[SEVEN:.*]] = core.v.lt %{{.*}}, %c7_i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %c128_i32 step %c8_i32
// CHECK: core.vld.bf16 %{{.*}}, %c1_i32, %[[SEVEN]] {offset = 128 :
// CHECK: scf.for %{{.*}} = %c0_i32 to %c64_i32 step %c8_i32
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 8, base = 0>, #kernel.hbm_region<"y", rows = 8, base = 8>, #kernel.hbm_region<"a", rows = 68, base = 16>, #kernel.hbm_region<"b", rows = 64, base = 84>, #kernel.hbm_region<"c", rows = 136, base = 148>]} {
  kernel.func @sum grid () (%x : !kernel.buffer<5x3x64xbf16, hbm> #kernel.operand<in, block = [5, 3, 64], map = () -> (0, 0, 0)>, %y : !kernel.buffer<5x64xf32, hbm> #kernel.operand<out, block = [5, 64], map = () -> (0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "reduce"} {
    %v = kernel.view %x : !kernel.buffer<5x3x64xbf16, vmem> to !kernel.buffer<1x5x3x64xbf16, vmem>
    kernel.reduce ins(%v : !kernel.buffer<1x5x3x64xbf16, vmem>) inits() outs(%y : !kernel.buffer<5x64xf32, vmem>) sizes = [1, 5, 3, 64] dims = [0, 2] partials = 128 maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] {
    ^bb0(%a: tensor<bf16>):
      %0 = stablehlo.convert %a : (tensor<bf16>) -> tensor<f32>
      kernel.yield %0 : tensor<f32>
    } combine {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  kernel.func @last grid () (%x : !kernel.buffer<5x3x64xbf16, hbm> #kernel.operand<in, block = [5, 3, 64], map = () -> (0, 0, 0)>, %y : !kernel.buffer<5x64xf32, hbm> #kernel.operand<out, block = [5, 64], map = () -> (0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "map"} {
    %v = kernel.view %x : !kernel.buffer<5x3x64xbf16, vmem> to !kernel.buffer<1x5x3x64xbf16, vmem>
    kernel.map ins(%v : !kernel.buffer<1x5x3x64xbf16, vmem>) outs(%y : !kernel.buffer<5x64xf32, vmem>) maps = [affine_map<(d0, d1) -> (0, d0, 2, d1)>] {
    ^bb0(%a: tensor<bf16>):
      %0 = stablehlo.convert %a : (tensor<bf16>) -> tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  kernel.func @product grid () (%a : !kernel.buffer<45x3x64xbf16, hbm> #kernel.operand<in, block = [45, 3, 64], map = () -> (0, 0, 0)>, %b : !kernel.buffer<64x128xf32, hbm> #kernel.operand<in, block = [64, 128], map = () -> (0, 0)>, %c : !kernel.buffer<1x45x3x128xf32, hbm> #kernel.operand<out, block = [1, 45, 3, 128], map = () -> (0, 0, 0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    %v = kernel.view %a : !kernel.buffer<45x3x64xbf16, vmem> to !kernel.buffer<1x45x3x64xbf16, vmem>
    kernel.contract %v, %b into %c sizes = [1, 45, 3, 64, 128] lhs affine_map<(p, q, r, k, n) -> (p, q, r, k)> rhs affine_map<(p, q, r, k, n) -> (k, n)> out affine_map<(p, q, r, k, n) -> (p, q, r, n)> {precision = 6 : i32} : !kernel.buffer<1x45x3x64xbf16, vmem>, !kernel.buffer<64x128xf32, vmem>, !kernel.buffer<1x45x3x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<5x3x64xbf16, hbm>
    %y = kernel.hbm 1 : !kernel.buffer<5x64xf32, hbm>
    %a = kernel.hbm 2 : !kernel.buffer<45x3x64xbf16, hbm>
    %b = kernel.hbm 3 : !kernel.buffer<64x128xf32, hbm>
    %c = kernel.hbm 4 : !kernel.buffer<1x45x3x128xf32, hbm>
    kernel.call @sum(%x, %y) : !kernel.buffer<5x3x64xbf16, hbm>, !kernel.buffer<5x64xf32, hbm>
    kernel.call @last(%x, %y) : !kernel.buffer<5x3x64xbf16, hbm>, !kernel.buffer<5x64xf32, hbm>
    kernel.call @product(%a, %b, %c) : !kernel.buffer<45x3x64xbf16, hbm>, !kernel.buffer<64x128xf32, hbm>, !kernel.buffer<1x45x3x128xf32, hbm>
    return
  }
}
