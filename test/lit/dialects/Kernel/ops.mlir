// RUN: %systole-opt %s | FileCheck %s

// Every operation and attribute, as it is printed.

// CHECK: kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 64, base = 0>]
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 64, base = 0>]} {

// CHECK-LABEL: kernel.func @blocks grid (%{{.*}} = 4, %{{.*}} = 2) (
// CHECK-SAME: %[[X:.*]] : !kernel.buffer<256x256xf32, hbm> #kernel.operand<in, block = [64, 128], map = (d0, d1) -> (d0, d1)>
// CHECK-SAME: %[[N:.*]] : !kernel.buffer<i32, hbm> #kernel.operand<stream, block = [], map = (d0, d1) -> ()>
// CHECK-SAME: %[[R:.*]] : !kernel.buffer<8x128xf32, hbm> #kernel.operand<raw, block = [8, 128], map = (d0, d1) -> (0, 0)>
// CHECK-SAME: %[[Y:.*]] : !kernel.buffer<256x256xf32, hbm> #kernel.operand<out, block = [64, 128], map = (d0, d1) -> (d0, d1)>
// CHECK-SAME: attributes {bytes = 524288 : i64, flops = 65536 : i64, kind = "loop", source = "a.py:3"}
kernel.func @blocks grid (%i = 4, %j = 2)
    (%x : !kernel.buffer<256x256xf32, hbm> #kernel.operand<in, block = [64, 128], map = (d0, d1) -> (d0, d1)>,
     %n : !kernel.buffer<i32, hbm> #kernel.operand<stream, block = [], map = (d0, d1) -> ()>,
     %r : !kernel.buffer<8x128xf32, hbm> #kernel.operand<raw, block = [8, 128], map = (d0, d1) -> (0, 0)>,
     %y : !kernel.buffer<256x256xf32, hbm> #kernel.operand<out, block = [64, 128], map = (d0, d1) -> (d0, d1)>)
    attributes {source = "a.py:3", flops = 65536 : i64, bytes = 524288 : i64, kind = "loop"} {
  // CHECK: %[[T:.*]] = kernel.alloc : <8x128xf32, vmem>
  %t = kernel.alloc : !kernel.buffer<8x128xf32, vmem>
  // CHECK: %[[S:.*]] = kernel.load_scalar %[[N]][] : <i32, smem>
  %s = kernel.load_scalar %n[] : !kernel.buffer<i32, smem>
  // CHECK: kernel.copy %[[R]] at[%[[S]], %{{.*}}] to %[[T]] sizes = [1, 128] from
  kernel.copy %r at [%s, %j] to %t sizes = [1, 128]
      from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)>
      : !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<8x128xf32, vmem>
  // CHECK: %[[C:.*]] = kernel.alloc : <2x128xf32, smem>
  %c = kernel.alloc : !kernel.buffer<2x128xf32, smem>
  // CHECK: kernel.copy %[[R]] at[%[[S]], %{{.*}}] to %[[C]] sizes = [2, 128]
  kernel.copy %r at [%s, %j] to %c sizes = [2, 128]
      from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)>
      : !kernel.buffer<8x128xf32, hbm>, !kernel.buffer<2x128xf32, smem>
  // CHECK: kernel.overlap {
  // CHECK-NEXT: kernel.copy
  kernel.overlap {
    kernel.copy %t to %r sizes = [8, 128]
        from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (d0, d1)>
        : !kernel.buffer<8x128xf32, vmem>, !kernel.buffer<8x128xf32, hbm>
  }
  // CHECK: kernel.view %[[T]] : <8x128xf32, vmem> to <2x4x128xf32, vmem>
  %v = kernel.view %t : !kernel.buffer<8x128xf32, vmem> to !kernel.buffer<2x4x128xf32, vmem>
  // CHECK: kernel.map ins(%[[X]] : !kernel.buffer<64x128xf32, vmem>) outs(%[[Y]] : !kernel.buffer<64x128xf32, vmem>) maps = [#{{.*}}] {
  kernel.map ins(%x : !kernel.buffer<64x128xf32, vmem>) outs(%y : !kernel.buffer<64x128xf32, vmem>)
      maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%a: tensor<f32>):
    // CHECK: kernel.index 1 : tensor<i32>
    %0 = kernel.index 1 : tensor<i32>
    // CHECK: kernel.scalar %[[S]] : tensor<i32>
    %1 = kernel.scalar %s : tensor<i32>
    %2 = stablehlo.compare LT, %0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %a, %a : tensor<i1>, tensor<f32>
    // CHECK: kernel.yield %{{.*}} : tensor<f32>
    kernel.yield %3 : tensor<f32>
  }
  // CHECK: kernel.return
  kernel.return
}

// CHECK-LABEL: kernel.func @whole grid () (
kernel.func @whole grid ()
    (%a : !kernel.buffer<16x256xbf16, hbm> #kernel.operand<in, block = [16, 256], map = () -> (0, 0)>,
     %b : !kernel.buffer<64x256xbf16, hbm> #kernel.operand<in, block = [64, 256], map = () -> (0, 0)>,
     %z : !kernel.buffer<f32, hbm> #kernel.operand<in, block = [], map = () -> ()>,
     %c : !kernel.buffer<16x64xf32, hbm> #kernel.operand<inout, block = [16, 64], map = () -> (0, 0)>,
     %d : !kernel.buffer<16xf32, hbm> #kernel.operand<out, block = [16], map = () -> (0)>,
     %e : !kernel.buffer<16x64xbf16, hbm> #kernel.operand<out, block = [16, 64], map = () -> (0, 0)>) {
  // CHECK: kernel.dot %{{.*}}, %{{.*}} into %[[C:.*]] rhs_transposed accumulate {precision = 3 : i32} :
  kernel.dot %a, %b into %c rhs_transposed accumulate {precision = 3 : i32}
      : !kernel.buffer<16x256xbf16, vmem>, !kernel.buffer<64x256xbf16, vmem>, !kernel.buffer<16x64xf32, vmem>
  // CHECK: kernel.contract %{{.*}}, %{{.*}} into %[[C]] accumulate sizes = [16, 256, 64] lhs #{{.*}} rhs #{{.*}} out #{{.*}} {precision = 6 : i32} :
  kernel.contract %a, %b into %c accumulate sizes = [16, 256, 64] lhs affine_map<(m, k, n) -> (m, k)>
      rhs affine_map<(m, k, n) -> (n, k)> out affine_map<(m, k, n) -> (m, n)> {precision = 6 : i32}
      : !kernel.buffer<16x256xbf16, vmem>, !kernel.buffer<64x256xbf16, vmem>, !kernel.buffer<16x64xf32, vmem>
  // CHECK: kernel.dot %{{.*}}, %{{.*}} into %[[C]] rounded to %{{.*}} rhs_transposed : {{.*}}, !kernel.buffer<16x64xbf16, vmem>
  kernel.dot %a, %b into %c rounded to %e rhs_transposed
      : !kernel.buffer<16x256xbf16, vmem>, !kernel.buffer<64x256xbf16, vmem>, !kernel.buffer<16x64xf32, vmem>, !kernel.buffer<16x64xbf16, vmem>
  // CHECK: kernel.reduce ins(%[[C]] : {{.*}}) inits(%{{.*}} : {{.*}}) outs(%{{.*}} : {{.*}}) sizes = [16, 64] dims = [1] maps = [
  kernel.reduce ins(%c : !kernel.buffer<16x64xf32, vmem>) inits(%z : !kernel.buffer<f32, vmem>)
      outs(%d : !kernel.buffer<16xf32, vmem>) sizes = [16, 64] dims = [1]
      maps = [affine_map<(d0, d1) -> (d0, d1)>] {
  ^bb0(%x: tensor<f32>):
    kernel.yield %x : tensor<f32>
  // CHECK: } combine {
  } combine {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    kernel.yield %0 : tensor<f32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @nothing grid () ()
kernel.func @nothing grid () () {
  kernel.return
}

// CHECK-LABEL: kernel.func @counted grid () (%{{.*}} : !kernel.buffer<i32, hbm> {{.*}}) scalars (%{{.*}}, %{{.*}}) attributes
kernel.func @counted grid () (%x : !kernel.buffer<i32, hbm> #kernel.operand<out, block = [], map = () -> ()>) scalars (%n, %m) {
  kernel.map ins() outs(%x : !kernel.buffer<i32, vmem>) maps = [] {
    %0 = kernel.scalar %m : tensor<i32>
    kernel.yield %0 : tensor<i32>
  }
  kernel.return
}

// CHECK-LABEL: kernel.func @part
kernel.func @part grid () () scalars (%row) {
  %0 = kernel.alloc : !kernel.buffer<10x300xf32, vmem>
  // CHECK: %[[P:.*]] = kernel.rows %{{.*}} at %{{.*}} : <10x300xf32, vmem> to <300xf32, vmem>
  %1 = kernel.rows %0 at %row : !kernel.buffer<10x300xf32, vmem> to !kernel.buffer<300xf32, vmem>
  // CHECK: kernel.map ins(%[[P]] : !kernel.buffer<300xf32, vmem>) outs(%[[P]] : !kernel.buffer<300xf32, vmem>)
  kernel.map ins(%1 : !kernel.buffer<300xf32, vmem>) outs(%1 : !kernel.buffer<300xf32, vmem>) maps = [affine_map<(d0) -> (d0)>] {
  ^bb0(%a: tensor<f32>):
    kernel.yield %a : tensor<f32>
  }
  kernel.return
}

func.func @main() {
  // CHECK: %[[B:.*]] = kernel.hbm 0 : <i32, hbm>
  %b = kernel.hbm 0 : !kernel.buffer<i32, hbm>
  // CHECK: kernel.read_scalar %[[B]] : <i32, hbm>
  %s = kernel.read_scalar %b : !kernel.buffer<i32, hbm>
  // CHECK: kernel.call @nothing() {source = "b.py:1"}
  kernel.call @nothing() {source = "b.py:1"}
  // CHECK: kernel.call @counted(%[[B]]) scalars(%[[S:.*]], %[[S]]) : !kernel.buffer<i32, hbm>
  kernel.call @counted(%b) scalars(%s, %s) : !kernel.buffer<i32, hbm>
  // CHECK: kernel.write_scalar %[[S]] to %[[B]] : <i32, hbm>
  kernel.write_scalar %s to %b : !kernel.buffer<i32, hbm>
  return
}


// Each element is in all lanes of a row, also the only one.
// CHECK-LABEL: func.func private @replicated(!kernel.buffer<8xf32, vmem, replicated>, !kernel.buffer<f32, vmem, replicated>)
func.func private @replicated(!kernel.buffer<8xf32, vmem, replicated>, !kernel.buffer<f32, vmem, replicated>)
}

// 15 rows take 16 in either shape: groups of eight, or padding of the second dimension from the end.
// CHECK-LABEL: @reinterpret_padded
// CHECK: kernel.reinterpret %{{.*}} : tensor<1x1x15x32xbf16> to tensor<15x32xbf16>
func.func @reinterpret_padded(%x: tensor<1x1x15x32xbf16>) -> tensor<15x32xbf16> {
  %0 = kernel.reinterpret %x : tensor<1x1x15x32xbf16> to tensor<15x32xbf16>
  return %0 : tensor<15x32xbf16>
}
