// A trip fetches what the one before it has written: neither copy is under way while another trip
// runs, since they would lose their order.
// RUN: systole-opt --systole-pipeline="to=fusion" %s | FileCheck %s

// CHECK: stablehlo.while
// CHECK: kernel.fetch [[ARRAY:[0-9]+]] at
// CHECK-NOT: kernel.staged
// CHECK: kernel.offload %{{.*}} to [[ARRAY]] at
// CHECK-NOT: kernel.staged
func.func @main(%x: tensor<5x8x128xf32> {mhlo.memory_kind = "pinned_host"}, %m: tensor<128x128xf32>) -> tensor<1x8x128xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %cn = stablehlo.constant dense<4> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<1x8x128xf32>
  %r:3 = stablehlo.while(%h = %x, %i = %c0, %a = %z) : tensor<5x8x128xf32>, tensor<i32>, tensor<1x8x128xf32>
  cond {
    %l = stablehlo.compare LT, %i, %cn : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  } do {
    %p = stablehlo.dynamic_slice %h, %i, %c0, %c0, sizes = [1, 8, 128] : (tensor<5x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x128xf32>
    %d = stablehlo.custom_call @annotate_device_placement(%p) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<1x8x128xf32>) -> tensor<1x8x128xf32>
    %w0 = stablehlo.add %d, %d : tensor<1x8x128xf32>
    %w1 = stablehlo.dot_general %w0, %m, contracting_dims = [2] x [0] : (tensor<1x8x128xf32>, tensor<128x128xf32>) -> tensor<1x8x128xf32>
    %o = stablehlo.custom_call @annotate_device_placement(%w1) {mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<1x8x128xf32>) -> tensor<1x8x128xf32>
    %j = stablehlo.add %i, %c1 : tensor<i32>
    %u = stablehlo.dynamic_update_slice %h, %o, %j, %c0, %c0 : (tensor<5x8x128xf32>, tensor<1x8x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x128xf32>
    stablehlo.return %u, %j, %w1 : tensor<5x8x128xf32>, tensor<i32>, tensor<1x8x128xf32>
  }
  return %r#2 : tensor<1x8x128xf32>
}
