// Copies from the host begin so early that kernels run meanwhile, and copies of loops a trip ahead.
// RUN: systole-opt --systole-pipeline="to=fusion" %s | FileCheck %s
// RUN: systole-opt --systole-pipeline="to=kernel" %s | FileCheck %s --check-prefix=KERNEL

// The first copy is needed by the last kernel but one, and the second one by the last: it does not
// begin before the first one has been read.
// CHECK-LABEL: func.func @main
// CHECK: kernel.fetch 0
// CHECK: kernel.fusion "dot"
// CHECK: kernel.fetch 1
// CHECK: kernel.fusion "dot"
// CHECK: stablehlo.while
// CHECK: kernel.offload %{{.*}} to 2 at {{.*}} {kernel.staged}
// CHECK: stablehlo.while
// CHECK: kernel.fetch 2 at {{.*}} {kernel.staged}

// What leaves a loop passes an array of its own, which the copy of the trip before has left; what
// enters another one is on its way already.
// KERNEL-LABEL: func.func @main
// KERNEL: kernel.start_fetch {{.*}}, 2 at %{{.*}} flag [[OFFLOAD:[0-9]+]]
// KERNEL: scf.while
// KERNEL: do
// KERNEL: kernel.wait {{\[}}[[OFFLOAD]]{{\]}}
// KERNEL: kernel.call @copy
// KERNEL: kernel.start_offload {{.*}} flag [[OFFLOAD]]
// KERNEL: scf.yield
// KERNEL: kernel.wait {{\[}}[[OFFLOAD]]{{\]}}
// KERNEL: kernel.start_fetch {{.*}} flag [[FETCH:[0-9]+]]
// KERNEL: scf.while
// KERNEL: do
// KERNEL: kernel.wait {{\[}}[[FETCH]]{{\]}}
// KERNEL: kernel.call @copy
// KERNEL: kernel.start_fetch {{.*}} flag [[FETCH]]
// KERNEL: kernel.call
// KERNEL: scf.yield
// KERNEL: kernel.wait {{\[}}[[FETCH]]{{\]}}
// KERNEL-NOT: kernel.wait
func.func @main(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>, %a: tensor<512x512xf32> {mhlo.memory_kind = "pinned_host"}, %b: tensor<512x512xf32> {mhlo.memory_kind = "pinned_host"}) -> tensor<512x512xf32> {
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.custom_call @annotate_device_placement(%b) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %3 = stablehlo.dot_general %2, %0, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<6> : tensor<i32>
  %fill = stablehlo.constant dense<0.0> : tensor<6x512x512xf32>
  %5:3 = stablehlo.while(%i = %zero, %y = %4, %s = %fill) : tensor<i32>, tensor<512x512xf32>, tensor<6x512x512xf32>
  cond {
    %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %6 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %7 = stablehlo.reshape %6 : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
    %8 = stablehlo.custom_call @annotate_device_placement(%7) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<1x512x512xf32>) -> tensor<1x512x512xf32>
    %9 = stablehlo.dynamic_update_slice %s, %8, %i, %zero, %zero : (tensor<6x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x512x512xf32>
    %10 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %10, %6, %9 : tensor<i32>, tensor<512x512xf32>, tensor<6x512x512xf32>
  }
  %11:3 = stablehlo.while(%i = %zero, %y = %5#1, %s = %5#2) : tensor<i32>, tensor<512x512xf32>, tensor<6x512x512xf32>
  cond {
    %go = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %12 = stablehlo.subtract %end, %i : tensor<i32>
    %13 = stablehlo.subtract %12, %one : tensor<i32>
    %14 = stablehlo.dynamic_slice %s, %13, %zero, %zero, sizes = [1, 512, 512] : (tensor<6x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
    %15 = stablehlo.custom_call @annotate_device_placement(%14) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<1x512x512xf32>) -> tensor<1x512x512xf32>
    %16 = stablehlo.reshape %15 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
    %17 = stablehlo.dot_general %y, %16, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %18 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %18, %17, %s : tensor<i32>, tensor<512x512xf32>, tensor<6x512x512xf32>
  }
  return %11#1 : tensor<512x512xf32>
}
