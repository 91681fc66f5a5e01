// RUN: systole-opt %s | systole-opt | FileCheck %s

// CHECK: module attributes {kernel.vmem_plan = [#kernel.placement<prefetch, rows = 16, place = 16, flag = 33>]}
module attributes {kernel.vmem_plan = [#kernel.placement<prefetch, rows = 16, place = 16, flag = 33>]} {

// CHECK-LABEL: @loop
// CHECK: kernel.resident %{{.*}} block = [4, 128] placement = <loop, rows = 16, place = 16> : tensor<8x128xf32>
// CHECK: stablehlo.while
func.func @loop(%a: tensor<8x128xf32>, %p: tensor<i1>) -> tensor<8x128xf32> {
  %k = kernel.resident %a block = [4, 128] placement = <loop, rows = 16, place = 16> : tensor<8x128xf32>
  %r = stablehlo.while(%s = %a) : tensor<8x128xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %0 = stablehlo.add %s, %k : tensor<8x128xf32>
    stablehlo.return %0 : tensor<8x128xf32>
  }
  return %r : tensor<8x128xf32>
}

// CHECK-LABEL: @made
// CHECK: kernel.fusion "loop" {{.*}} attributes {reserved = 24 : i64}
// CHECK: kernel.resident %{{.*}} block = [8, 128] placement = <kernels, rows = 8, place = 24> : tensor<8x128xf32>
func.func @made(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %m = kernel.fusion "loop" (%x = %a) attributes {reserved = 24 : i64} : (tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %x, %x : tensor<8x128xf32>
    kernel.fused %0 : tensor<8x128xf32>
  }
  %k = kernel.resident %m block = [8, 128] placement = <kernels, rows = 8, place = 24> : tensor<8x128xf32>
  %0 = stablehlo.add %k, %k : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}

// CHECK-LABEL: kernel.func @k
// CHECK-SAME: !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [4, 128], map = (d0) -> (d0, 0), resident = 16>
kernel.func @k grid (%i = 2) (%x : !kernel.buffer<8x128xf32, vmem> #kernel.operand<in, block = [4, 128], map = (d0) -> (d0, 0), resident = 16>) attributes {loading = 1 : i64, reserved = 16 : i64} { kernel.return }

// CHECK-LABEL: @calls
// CHECK: kernel.start_load %{{.*}} at %{{.*}} to %{{.*}} flag 33 : <8x128xf32, hbm> to <8x128xf32, vmem>
// CHECK: kernel.wait [33]
// CHECK: kernel.call @k
func.func @calls(%row: i32) {
  %x = kernel.hbm 0 : <8x128xf32, hbm>
  %y = kernel.vmem 0 : <8x128xf32, vmem>
  kernel.start_load %x at %row to %y flag 33 : <8x128xf32, hbm> to <8x128xf32, vmem>
  kernel.wait [33]
  kernel.call @k(%y) {placements = array<i32: 0>} : !kernel.buffer<8x128xf32, vmem>
  return
}
}
