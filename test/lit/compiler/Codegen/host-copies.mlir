// Copies of one run of transfers are under way together, unless they touch the same rows of which
// one is written; what follows waits for all.
// RUN: systole-opt --systole-codegen="target=v3" %s | FileCheck %s

module attributes {
  kernel.hbm_plan = [#kernel.hbm_region<"x", rows = 8, base = 0>, #kernel.hbm_region<"y", rows = 16, base = 8>,
                     #kernel.hbm_region<"z", rows = 8, base = 16>],
  kernel.hbm_rows = 24 : i64,
  kernel.transfers = [#kernel.transfer<send, channel = 2, type = tensor<4xf32>, layout = #kernel.layout<{0:T(1,128)}>>,
                      #kernel.transfer<recv, channel = 3, type = tensor<9x200xbf16>, layout = #kernel.layout<{1,0:T(1,128)(2,1)}>>,
                      #kernel.transfer<send, channel = 4, type = tensor<0x3xf32>, layout = #kernel.layout<{1,0:T(1,128)}>>,
                      #kernel.transfer<send, channel = 4 array 1 words <0 of i64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>,
                      #kernel.transfer<send, channel = 4 array 1 words <1 of i64>, type = tensor<4xui32>, layout = #kernel.layout<{0:T(1,128)}>>]
} {
  // Rows that hold elements: 1 of f32[4], 9 of 18 logical rows that are two to a row; 1 of an empty
  // array.
  // CHECK: core.regions = [
  // CHECK-SAME: #core.region<name = "send2", space = host, base = 0, size = 1,
  // CHECK-SAME: #core.region<name = "recv3", space = host, base = 0, size = 9,
  // CHECK-SAME: #core.region<name = "send4", space = host, base = 0, size = 1,
  // CHECK-SAME: #core.region<name = "send4.1.plane0", space = host, base = 0, size = 1,
  // CHECK-SAME: #core.region<name = "send4.1.plane1", space = host, base = 0, size = 1,
  // CHECK-NOT: kernel.transfers
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %x = kernel.hbm 0 : !kernel.buffer<4xf32, hbm>
    %y = kernel.hbm 1 : !kernel.buffer<9x200xbf16, hbm>
    %e = kernel.hbm 0 : !kernel.buffer<0x3xf32, hbm>
    // CHECK: core.dma.start {{.*}}<hbm to host, chunk = 128>
    kernel.to_host %x, 0 : !kernel.buffer<4xf32, hbm>
    // CHECK-NOT: core.wait
    // CHECK: core.dma.start {{.*}}<hbm to host, chunk = 128>
    kernel.to_host %e, 2 : !kernel.buffer<0x3xf32, hbm>
    // CHECK-NOT: core.wait
    // CHECK: core.dma.start {{.*}}<host to hbm, chunk = 1152>
    kernel.from_host %y, 1 : !kernel.buffer<9x200xbf16, hbm>
    // The rows of region 2 are among those of region 1.
    // CHECK: core.wait
    // CHECK: core.dma.start {{.*}}<hbm to host, chunk = 128>
    %z = kernel.hbm 2 : !kernel.buffer<4xf32, hbm>
    kernel.to_host %z, 0 : !kernel.buffer<4xf32, hbm>
    // CHECK: core.wait
    // CHECK: return
    return
  }
}
