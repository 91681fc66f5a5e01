// Stages before and behind products run a step apart, beside each other.
// RUN: %systole-opt %s --systole-codegen=target=v3 --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// The first step's squares alone, then those of the next step beside each product, then the last product.
// The squares are handed on in one of two buffers.
// CHECK: name = "handed on", space = vmem, base = {{[0-9]+}}, size = 1024
// CHECK-LABEL: func.func private @products(
// CHECK: core.v.fmul
// CHECK: scf.for %{{.*}} = %c0_i32 to %c31_i32
// CHECK: core.interleave {
// CHECK-NOT: core.mxu
// CHECK: core.v.fmul
// CHECK: } {
// CHECK-NOT: core.v.fmul
// CHECK: core.mxu.push
// CHECK: core.mxu.push
// CHECK-NOT: core.v.fmul
// CHECK: return
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 16384, base = 0>, #kernel.hbm_region<"w", rows = 128, base = 16384>, #kernel.hbm_region<"y", rows = 16384, base = 16512>]} {
  kernel.func @products grid (%i = 32) (%x : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %w : !kernel.buffer<128x128xf32, hbm> #kernel.operand<in, block = [128, 128], map = (d0) -> (0, 0)>, %y : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    %p = kernel.alloc : !kernel.buffer<512x128xf32, vmem>
    kernel.map ins(%x : !kernel.buffer<512x128xf32, vmem>) outs(%p : !kernel.buffer<512x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      %1 = stablehlo.multiply %0, %a : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      %3 = stablehlo.multiply %2, %a : tensor<f32>
      kernel.yield %3 : tensor<f32>
    }
    kernel.dot %p, %w into %y : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<128x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<16384x128xf32, hbm>
    %w = kernel.hbm 1 : !kernel.buffer<128x128xf32, hbm>
    %y = kernel.hbm 2 : !kernel.buffer<16384x128xf32, hbm>
    kernel.call @products(%x, %w, %y) : !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<128x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>
    return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Both sides would need a block of x, of different steps.
// CHECK-LABEL: func.func private @both(
// CHECK-NOT: core.interleave
// CHECK: func.func @main
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 16384, base = 0>, #kernel.hbm_region<"w", rows = 128, base = 16384>, #kernel.hbm_region<"y", rows = 16384, base = 16512>]} {
  kernel.func @both grid (%i = 32) (%x : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %w : !kernel.buffer<128x128xf32, hbm> #kernel.operand<in, block = [128, 128], map = (d0) -> (0, 0)>, %y : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    %p = kernel.alloc : !kernel.buffer<512x128xf32, vmem>
    kernel.map ins(%x : !kernel.buffer<512x128xf32, vmem>) outs(%p : !kernel.buffer<512x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      %1 = stablehlo.multiply %0, %a : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      %3 = stablehlo.multiply %2, %a : tensor<f32>
      kernel.yield %3 : tensor<f32>
    }
    %s = kernel.alloc : !kernel.buffer<512x128xf32, vmem>
    kernel.dot %p, %w into %s : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<128x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>
    kernel.map ins(%s, %x : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>) outs(%y : !kernel.buffer<512x128xf32, vmem>) maps = [#id, #id] {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<16384x128xf32, hbm>
    %w = kernel.hbm 1 : !kernel.buffer<128x128xf32, hbm>
    %y = kernel.hbm 2 : !kernel.buffer<16384x128xf32, hbm>
    kernel.call @both(%x, %w, %y) : !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<128x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>
    return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// The block of y of the next step is written beside the product of this one.
// CHECK-LABEL: func.func private @apart(
// CHECK: core.interleave
// CHECK: func.func @main
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"m", rows = 16384, base = 0>, #kernel.hbm_region<"x", rows = 16384, base = 16384>, #kernel.hbm_region<"w", rows = 128, base = 32768>, #kernel.hbm_region<"y", rows = 16384, base = 32896>, #kernel.hbm_region<"z", rows = 16384, base = 49280>]} {
  kernel.func @apart grid (%i = 32) (%m : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %x : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %w : !kernel.buffer<128x128xf32, hbm> #kernel.operand<in, block = [128, 128], map = (d0) -> (0, 0)>, %y : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>, %z : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot"} {
    kernel.map ins(%m : !kernel.buffer<512x128xf32, vmem>) outs(%y : !kernel.buffer<512x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      %1 = stablehlo.multiply %0, %a : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      %3 = stablehlo.multiply %2, %a : tensor<f32>
      kernel.yield %3 : tensor<f32>
    }
    %s = kernel.alloc : !kernel.buffer<512x128xf32, vmem>
    kernel.dot %y, %w into %s : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<128x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>
    kernel.map ins(%s, %x : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>) outs(%z : !kernel.buffer<512x128xf32, vmem>) maps = [#id, #id] {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %m = kernel.hbm 0 : !kernel.buffer<16384x128xf32, hbm>
    %x = kernel.hbm 1 : !kernel.buffer<16384x128xf32, hbm>
    %w = kernel.hbm 2 : !kernel.buffer<128x128xf32, hbm>
    %y = kernel.hbm 3 : !kernel.buffer<16384x128xf32, hbm>
    %z = kernel.hbm 4 : !kernel.buffer<16384x128xf32, hbm>
    kernel.call @apart(%m, %x, %w, %y, %z) : !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<128x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>
    return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Where y is written over x, that would be before the block of x has been read.
// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT: core.interleave
// CHECK: func.func @main
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"m", rows = 16384, base = 0>, #kernel.hbm_region<"x", rows = 16384, base = 16384>, #kernel.hbm_region<"w", rows = 128, base = 32768>, #kernel.hbm_region<"y", rows = 16384, base = 32896>, #kernel.hbm_region<"z", rows = 16384, base = 49280>]} {
  kernel.func @in_place grid (%i = 32) (%m : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %x : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<in, block = [512, 128], map = (d0) -> (d0, 0)>, %w : !kernel.buffer<128x128xf32, hbm> #kernel.operand<in, block = [128, 128], map = (d0) -> (0, 0)>, %y : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>, %z : !kernel.buffer<16384x128xf32, hbm> #kernel.operand<out, block = [512, 128], map = (d0) -> (d0, 0)>) attributes {source = "", flops = 0 : i64, bytes = 0 : i64, kind = "dot", kernel.in_place = array<i32: 3, 1>} {
    kernel.map ins(%m : !kernel.buffer<512x128xf32, vmem>) outs(%y : !kernel.buffer<512x128xf32, vmem>) maps = [#id] {
    ^bb0(%a: tensor<f32>):
      %0 = stablehlo.multiply %a, %a : tensor<f32>
      %1 = stablehlo.multiply %0, %a : tensor<f32>
      %2 = stablehlo.multiply %1, %1 : tensor<f32>
      %3 = stablehlo.multiply %2, %a : tensor<f32>
      kernel.yield %3 : tensor<f32>
    }
    %s = kernel.alloc : !kernel.buffer<512x128xf32, vmem>
    kernel.dot %y, %w into %s : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<128x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>
    kernel.map ins(%s, %x : !kernel.buffer<512x128xf32, vmem>, !kernel.buffer<512x128xf32, vmem>) outs(%z : !kernel.buffer<512x128xf32, vmem>) maps = [#id, #id] {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      kernel.yield %0 : tensor<f32>
    }
    kernel.return
  }
  func.func @main() {
    %m = kernel.hbm 0 : !kernel.buffer<16384x128xf32, hbm>
    %x = kernel.hbm 1 : !kernel.buffer<16384x128xf32, hbm>
    %w = kernel.hbm 2 : !kernel.buffer<128x128xf32, hbm>
    %y = kernel.hbm 3 : !kernel.buffer<16384x128xf32, hbm>
    %z = kernel.hbm 4 : !kernel.buffer<16384x128xf32, hbm>
    kernel.call @in_place(%m, %x, %w, %y, %z) : !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<128x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>, !kernel.buffer<16384x128xf32, hbm>
    return
  }
}
