// The first step of a product takes an operand that all steps read in as many pieces as its plan says, as they arrive.
// RUN: %systole-opt %s --systole-codegen=target=v3 --split-input-file | FileCheck %s

// Two pieces come behind the first block of the other operand. The loops of the first step are within a
// loop over pieces, each of which it waits for; the other steps have all rows.
// CHECK-LABEL: func.func private @whole(
// CHECK: core.dma.start {{.*}} %arg1, {{.*}} chunk = 256 by counts = [512]
// CHECK: core.dma.start %c0_i32, %c0_i32, %[[F:[^,]*]], %arg0, {{.*}} chunk = 262144
// CHECK: core.dma.start %c2048_i32, %c2048_i32, %{{[^,]*}}, %arg0, {{.*}} chunk = 262144
// CHECK-NOT: %arg0
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32
// CHECK-NEXT: core.wait %c1_i32
// CHECK: scf.for
// CHECK: core.mxu.push
// CHECK: scf.for %{{.*}} = %c1_i32 to %c4_i32
// CHECK: core.mxu.push
// CHECK: return
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 4096, base = 0>, #kernel.hbm_region<"w", rows = 4096, base = 4096>, #kernel.hbm_region<"y", rows = 8192, base = 8192>]} {
  kernel.func @whole grid (%i = 4) (%x : !kernel.buffer<1024x512xf32, hbm> #kernel.operand<in, block = [1024, 512], map = (d0) -> (0, 0), pieces = 2>, %w : !kernel.buffer<512x1024xf32, hbm> #kernel.operand<in, block = [512, 256], map = (d0) -> (0, d0)>, %y : !kernel.buffer<1024x1024xf32, hbm> #kernel.operand<out, block = [1024, 256], map = (d0) -> (0, d0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    kernel.dot %x, %w into %y : !kernel.buffer<1024x512xf32, vmem>, !kernel.buffer<512x256xf32, vmem>, !kernel.buffer<1024x256xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<1024x512xf32, hbm>
    %w = kernel.hbm 1 : !kernel.buffer<512x1024xf32, hbm>
    %y = kernel.hbm 2 : !kernel.buffer<1024x1024xf32, hbm>
    kernel.call @whole(%x, %w, %y) : !kernel.buffer<1024x512xf32, hbm>, !kernel.buffer<512x1024xf32, hbm>, !kernel.buffer<1024x1024xf32, hbm>
    return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Another stage reads all of it first.
// CHECK-LABEL: func.func private @squares(
// CHECK: core.dma.start {{.*}} %arg0, {{.*}} chunk = 524288
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: return
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 4096, base = 0>, #kernel.hbm_region<"w", rows = 4096, base = 4096>, #kernel.hbm_region<"y", rows = 8192, base = 8192>]} {
  kernel.func @squares grid (%i = 4) (%x : !kernel.buffer<1024x512xf32, hbm> #kernel.operand<in, block = [1024, 512], map = (d0) -> (0, 0), pieces = 2>, %w : !kernel.buffer<512x1024xf32, hbm> #kernel.operand<in, block = [512, 256], map = (d0) -> (0, d0)>, %y : !kernel.buffer<1024x1024xf32, hbm> #kernel.operand<out, block = [1024, 256], map = (d0) -> (0, d0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    %n = kernel.alloc : !kernel.buffer<1024x512xf32, vmem>
    kernel.map ins(%x : !kernel.buffer<1024x512xf32, vmem>) outs(%n : !kernel.buffer<1024x512xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.dot %n, %w into %y : !kernel.buffer<1024x512xf32, vmem>, !kernel.buffer<512x256xf32, vmem>, !kernel.buffer<1024x256xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<1024x512xf32, hbm>
    %w = kernel.hbm 1 : !kernel.buffer<512x1024xf32, hbm>
    %y = kernel.hbm 2 : !kernel.buffer<1024x1024xf32, hbm>
    kernel.call @squares(%x, %w, %y) : !kernel.buffer<1024x512xf32, hbm>, !kernel.buffer<512x1024xf32, hbm>, !kernel.buffer<1024x1024xf32, hbm>
    return
  }
}
