// Of the 30 regions that the kernel is told, 28 are in registers. Words of SMEM for the other two precede all others.
// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s
// RUN: %systole-opt %s --systole-codegen=target=v3 --systole-core-to-machine="print-after=lower" | FileCheck %s --check-prefix=MACHINE

// CHECK: core.regions = [
// CHECK-COUNT-4: name = "spill"
// CHECK-SAME: #core.region<name = "arguments", space = smem, base = 0, size = 2, owner = "">
// CHECK-SAME: #core.region<name = "scalar", space = smem, base = 2, size = 1, owner = "main">
// CHECK: func.func private @negate({{.*}}, %arg29: i32)
// MACHINE: routine @negate(
// MACHINE: s.ld 0, 4
// MACHINE: s.ld 1, 4
// MACHINE: routine @main()
// MACHINE: s.st {{[0-9]+}}, 0, 4
// MACHINE: s.st {{[0-9]+}}, 1, 4
// MACHINE: call @negate
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x0", rows = 8, base = 0>, #kernel.hbm_region<"x1", rows = 8, base = 8>, #kernel.hbm_region<"x2", rows = 8, base = 16>, #kernel.hbm_region<"x3", rows = 8, base = 24>, #kernel.hbm_region<"x4", rows = 8, base = 32>, #kernel.hbm_region<"x5", rows = 8, base = 40>, #kernel.hbm_region<"x6", rows = 8, base = 48>, #kernel.hbm_region<"x7", rows = 8, base = 56>, #kernel.hbm_region<"x8", rows = 8, base = 64>, #kernel.hbm_region<"x9", rows = 8, base = 72>, #kernel.hbm_region<"x10", rows = 8, base = 80>, #kernel.hbm_region<"x11", rows = 8, base = 88>, #kernel.hbm_region<"x12", rows = 8, base = 96>, #kernel.hbm_region<"x13", rows = 8, base = 104>, #kernel.hbm_region<"x14", rows = 8, base = 112>, #kernel.hbm_region<"x15", rows = 8, base = 120>, #kernel.hbm_region<"x16", rows = 8, base = 128>, #kernel.hbm_region<"x17", rows = 8, base = 136>, #kernel.hbm_region<"x18", rows = 8, base = 144>, #kernel.hbm_region<"x19", rows = 8, base = 152>, #kernel.hbm_region<"x20", rows = 8, base = 160>, #kernel.hbm_region<"x21", rows = 8, base = 168>, #kernel.hbm_region<"x22", rows = 8, base = 176>, #kernel.hbm_region<"x23", rows = 8, base = 184>, #kernel.hbm_region<"x24", rows = 8, base = 192>, #kernel.hbm_region<"x25", rows = 8, base = 200>, #kernel.hbm_region<"x26", rows = 8, base = 208>, #kernel.hbm_region<"x27", rows = 8, base = 216>, #kernel.hbm_region<"x28", rows = 8, base = 224>, #kernel.hbm_region<"x29", rows = 8, base = 232>]} {
  kernel.func @negate grid () (%x0 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x1 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x2 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x3 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x4 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x5 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x6 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x7 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x8 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x9 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x10 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x11 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x12 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x13 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x14 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x15 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x16 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x17 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x18 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x19 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x20 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x21 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x22 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x23 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x24 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x25 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x26 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x27 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %x28 : !kernel.buffer<8x128xf32, hbm> #kernel.operand<in, block = [8, 128], map = () -> (0, 0)>, %y : !kernel.buffer<8x128xf32, hbm> #kernel.operand<out, block = [8, 128], map = () -> (0, 0)>) attributes {source = "", flops = 1024 : i64, bytes = 8192 : i64, kind = "loop"} {
    kernel.map ins(%x28 : !kernel.buffer<8x128xf32, vmem>) outs(%y : !kernel.buffer<8x128xf32, vmem>) maps = [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.negate %a : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %b0 = kernel.hbm 0 : !kernel.buffer<8x128xf32, hbm>
    %b1 = kernel.hbm 1 : !kernel.buffer<8x128xf32, hbm>
    %b2 = kernel.hbm 2 : !kernel.buffer<8x128xf32, hbm>
    %b3 = kernel.hbm 3 : !kernel.buffer<8x128xf32, hbm>
    %b4 = kernel.hbm 4 : !kernel.buffer<8x128xf32, hbm>
    %b5 = kernel.hbm 5 : !kernel.buffer<8x128xf32, hbm>
    %b6 = kernel.hbm 6 : !kernel.buffer<8x128xf32, hbm>
    %b7 = kernel.hbm 7 : !kernel.buffer<8x128xf32, hbm>
    %b8 = kernel.hbm 8 : !kernel.buffer<8x128xf32, hbm>
    %b9 = kernel.hbm 9 : !kernel.buffer<8x128xf32, hbm>
    %b10 = kernel.hbm 10 : !kernel.buffer<8x128xf32, hbm>
    %b11 = kernel.hbm 11 : !kernel.buffer<8x128xf32, hbm>
    %b12 = kernel.hbm 12 : !kernel.buffer<8x128xf32, hbm>
    %b13 = kernel.hbm 13 : !kernel.buffer<8x128xf32, hbm>
    %b14 = kernel.hbm 14 : !kernel.buffer<8x128xf32, hbm>
    %b15 = kernel.hbm 15 : !kernel.buffer<8x128xf32, hbm>
    %b16 = kernel.hbm 16 : !kernel.buffer<8x128xf32, hbm>
    %b17 = kernel.hbm 17 : !kernel.buffer<8x128xf32, hbm>
    %b18 = kernel.hbm 18 : !kernel.buffer<8x128xf32, hbm>
    %b19 = kernel.hbm 19 : !kernel.buffer<8x128xf32, hbm>
    %b20 = kernel.hbm 20 : !kernel.buffer<8x128xf32, hbm>
    %b21 = kernel.hbm 21 : !kernel.buffer<8x128xf32, hbm>
    %b22 = kernel.hbm 22 : !kernel.buffer<8x128xf32, hbm>
    %b23 = kernel.hbm 23 : !kernel.buffer<8x128xf32, hbm>
    %b24 = kernel.hbm 24 : !kernel.buffer<8x128xf32, hbm>
    %b25 = kernel.hbm 25 : !kernel.buffer<8x128xf32, hbm>
    %b26 = kernel.hbm 26 : !kernel.buffer<8x128xf32, hbm>
    %b27 = kernel.hbm 27 : !kernel.buffer<8x128xf32, hbm>
    %b28 = kernel.hbm 28 : !kernel.buffer<8x128xf32, hbm>
    %b29 = kernel.hbm 29 : !kernel.buffer<8x128xf32, hbm>
    %n = kernel.hbm 0 : !kernel.buffer<i32, hbm>
    %s = kernel.read_scalar %n : !kernel.buffer<i32, hbm>
    kernel.call @negate(%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13, %b14, %b15, %b16, %b17, %b18, %b19, %b20, %b21, %b22, %b23, %b24, %b25, %b26, %b27, %b28, %b29) : !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, hbm>
    return
  }
}
