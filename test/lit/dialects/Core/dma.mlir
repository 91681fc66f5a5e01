// RUN: %systole-opt %s | FileCheck %s

// The levels of a copy, from none to three, the arrival flag of another core, and what completion adds to the flag.
// CHECK: one = #core.dma<hbm to vmem, chunk = 128>
// CHECK-SAME: three = #core.dma<vmem to hbm, chunk = 256 by counts = [2, 3, 4], src_strides = [256, 512, 0], dst_strides = [384, 128, 1024], arrival_flag = 96>
// CHECK-SAME: words = #core.dma<hbm to smem, chunk = 3 by counts = [5], src_strides = [128], dst_strides = [3] counts_words = true>
module attributes {
  core.one = #core.dma<hbm to vmem, chunk = 128>,
  core.three = #core.dma<vmem to hbm, chunk = 256 by counts = [2, 3, 4],
                         src_strides = [256, 512, 0], dst_strides = [384, 128, 1024], arrival_flag = 96>,
  core.words = #core.dma<hbm to smem, chunk = 3 by counts = [5], src_strides = [128],
                         dst_strides = [3] counts_words = true>
} {}
