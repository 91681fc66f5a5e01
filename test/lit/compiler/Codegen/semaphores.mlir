// A copy counts on the flag of its semaphore; which one of several is chosen at run time has code for each.
// RUN: %systole-opt %s --systole-codegen=target=v3 | FileCheck %s

// CHECK-LABEL: func.func private @copies
// CHECK: core.dma.start {{.*}}flag = 30
// CHECK: scf.for
// CHECK: scf.if
// CHECK: core.wait %{{.*}} {flag = 30
// CHECK: } else {
// CHECK: core.wait %{{.*}} {flag = 31
// CHECK: core.flag.add %{{.*}} {flag = 29
// CHECK: core.flag.read {{.*}}flag = 29
// CHECK: core.wait %{{.*}} {flag = 29
module attributes {kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 16, base = 0>], kernel.hbm_rows = 16 : i64} {
  kernel.func @copies grid () (%x: !kernel.buffer<16x128xf32, hbm> #kernel.operand<raw, block = [16, 128], map = () -> (0, 0)>) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %block = kernel.alloc : <2x8x128xf32, vmem>
    %arrived = kernel.alloc : <2xi32, flags>
    %other = kernel.alloc : <i32, flags>
    %words = kernel.alloc persistent : <1xi32, smem>
    kernel.start_copy %x to %block sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (0, d0, d1)> semaphore %arrived[%zero] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
    scf.for %i = %zero to %two step %one : i32 {
      kernel.wait_copy %x to %block sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (0, d0, d1)> semaphore %arrived[%i] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
    }
    kernel.signal %two, %other[] : <i32, flags>
    %value = kernel.read_semaphore %other[] : <i32, flags>
    kernel.store_scalar %value to %words[%zero] : <1xi32, smem>
    kernel.wait_semaphore %two, %other[] : <i32, flags>
    kernel.return
  }
  func.func @main() {
    %x = kernel.hbm 0 : <16x128xf32, hbm>
    kernel.call @copies(%x) : !kernel.buffer<16x128xf32, hbm>
    return
  }
}
