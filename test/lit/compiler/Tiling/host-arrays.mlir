// Copies to and from the memory of the host: kernels run meanwhile, until something needs them.
// RUN: systole-opt --systole-pipeline="to=kernel" %s | FileCheck %s
// RUN: systole-opt --systole-pipeline="to=core" %s | FileCheck %s --check-prefix=CORE

// Two planes of the argument of i64, and 64 rows.
// CHECK: kernel.pinned_plan = [#kernel.hbm_region<"host0", rows = 8, base = 0>,
// CHECK-SAME: #kernel.hbm_region<"host0.plane1", rows = 8, base = 8>,
// CHECK-SAME: #kernel.hbm_region<"host1", rows = 64, base = 16>]

// CHECK-LABEL: func.func @main()
// CORE-LABEL: func.func @main()
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>, %wide: tensor<5xi64> {mhlo.memory_kind = "pinned_host"}) -> (tensor<64x128xf32>, tensor<5xi64>) {
  // The copy starts where the array is there. It is waited for before the next one reads it.
  // CHECK: kernel.call
  // CHECK-NEXT: kernel.hbm
  // CHECK-NEXT: kernel.start_offload %{{.*}}, 2 flag [[OFFLOAD:[0-9]+]] : <64x128xf32, hbm>
  // CHECK-NOT: kernel.wait
  // CHECK: kernel.call
  // CHECK: kernel.wait {{\[}}[[OFFLOAD]]{{\]}}
  // CHECK: kernel.start_fetch %{{.*}}, 2 flag [[FIRST:[0-9]+]] : <64x128xf32, hbm>
  // The planes of an array are in flight together.
  // CHECK-NOT: kernel.wait
  // CHECK: kernel.start_fetch %{{.*}}, {{[01]}} flag [[SECOND:[0-9]+]] : <5xui32, hbm>
  // CHECK-NOT: kernel.wait
  // CHECK: kernel.start_fetch %{{.*}}, {{[01]}} flag [[THIRD:[0-9]+]] : <5xui32, hbm>
  // CHECK: kernel.wait {{\[}}[[FIRST]]{{\]}}
  // CHECK: kernel.call
  // CHECK: kernel.wait {{\[}}[[SECOND]], [[THIRD]]{{\]}}
  // CORE: core.dma.start {{.*}}descriptor = #core.dma<hbm to pinned, chunk = 8192>
  // CORE: core.dma.start {{.*}}descriptor = #core.dma<pinned to hbm, chunk = 8192>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %away = stablehlo.custom_call @annotate_device_placement(%0) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %here = stablehlo.custom_call @annotate_device_placement(%away) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %3 = stablehlo.add %2, %here : tensor<64x128xf32>
  %4 = stablehlo.custom_call @annotate_device_placement(%wide) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<5xi64>) -> tensor<5xi64>
  return %3, %4 : tensor<64x128xf32>, tensor<5xi64>
}
