// Operations that only kernels of the program need.
// RUN: %systole-opt %s | %systole-opt | FileCheck %s

// CHECK-LABEL: kernel.func @own
kernel.func @own grid () (%x: !kernel.buffer<16x128xf32, hbm> #kernel.operand<raw, block = [16, 128], map = () -> (0, 0)>) attributes {kernel.mosaic} {
  %zero = arith.constant 0 : i32
  // CHECK: kernel.alloc persistent : <2x8x128xf32, vmem>
  %block = kernel.alloc persistent : <2x8x128xf32, vmem>
  // CHECK: kernel.alloc : <2xi32, flags>
  %arrived = kernel.alloc : <2xi32, flags>
  %words = kernel.alloc : <1xi32, smem>
  %one = kernel.alloc : <1x1xf32, vmem>
  // CHECK: kernel.start_copy %{{.*}} to %{{.*}} at[{{.*}}] sizes = [8, 128] from #{{.*}} into #{{.*}} semaphore %{{.*}}[%{{.*}}] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
  kernel.start_copy %x to %block at [%zero, %zero, %zero] sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (0, d0, d1)> semaphore %arrived[%zero] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
  // CHECK: kernel.wait_copy
  kernel.wait_copy %x to %block sizes = [8, 128] from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (0, d0, d1)> semaphore %arrived[%zero] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
  // CHECK: kernel.start_copy %{{.*}} sizes = [8, 128] count %{{.*}} from
  kernel.start_copy %x to %block sizes = [8, 128] count %zero from affine_map<(d0, d1) -> (d0, d1)> into affine_map<(d0, d1) -> (0, d0, d1)> semaphore %arrived[%zero] : <16x128xf32, hbm>, <2x8x128xf32, vmem>, <2xi32, flags>
  // CHECK: %[[TWO:.*]] = kernel.alloc buffers 2 : <8x128xf32, vmem>
  %two = kernel.alloc buffers 2 : <8x128xf32, vmem>
  // CHECK: kernel.slot %[[TWO]][%{{.*}}] : <8x128xf32, vmem>
  %chosen = kernel.slot %two[%zero] : <8x128xf32, vmem>
  // CHECK: %[[ROWS:.*]] = kernel.rows %{{.*}} at %{{.*}} aligned : <2x8x128xf32, vmem> to <1x8x128xf32, vmem>
  %rows = kernel.rows %block at %zero aligned : <2x8x128xf32, vmem> to <1x8x128xf32, vmem>
  // CHECK: kernel.view %[[ROWS]]
  %view = kernel.view %rows : <1x8x128xf32, vmem> to <8x128xf32, vmem>
  // CHECK: kernel.signal
  kernel.signal %zero, %arrived[%zero] : <2xi32, flags>
  // CHECK: kernel.wait_semaphore
  kernel.wait_semaphore %zero, %arrived[%zero] : <2xi32, flags>
  // CHECK: %[[VALUE:.*]] = kernel.read_semaphore
  %value = kernel.read_semaphore %arrived[%zero] : <2xi32, flags>
  // CHECK: kernel.store_scalar %[[VALUE]] to %{{.*}}[%{{.*}}] : <1xi32, smem>
  kernel.store_scalar %value to %words[%zero] : <1xi32, smem>
  // CHECK: kernel.read_element %{{.*}} : <1x1xf32, vmem>
  %element = kernel.read_element %one : <1x1xf32, vmem>
  // CHECK: kernel.log %[[VALUE]] ["is ", " and ", "."] values = [f32, tensor<2x3xi8>] typed
  kernel.log %value ["is ", " and ", "."] values = [f32, tensor<2x3xi8>] typed
  // CHECK: kernel.log %[[VALUE]] ["done"] values = []
  kernel.log %value ["done"] values = []
  // CHECK: kernel.bitcast %{{.*}} : <2x8x128xf32, vmem> to <32x128xbf16, vmem>
  %narrow = kernel.bitcast %block : <2x8x128xf32, vmem> to <32x128xbf16, vmem>
  kernel.return
}
