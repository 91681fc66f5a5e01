// Two copies from the host pass one barrier. They are on their way together, while the products run that their reader
// waits for.
// RUN: systole-opt --systole-pipeline="to=fusion target=v3" %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: kernel.fetch
// CHECK: kernel.fusion "dot"
// CHECK-NOT: kernel.fetch
// CHECK: return
func.func @main(%a: tensor<256x512xf32> {mhlo.memory_kind = "pinned_host"}, %b: tensor<256x512xf32> {mhlo.memory_kind = "pinned_host"},
                %t: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> tensor<256x512xf32> {
  %x = stablehlo.custom_call @annotate_device_placement(%a) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<256x512xf32>) -> tensor<256x512xf32>
  %y = stablehlo.custom_call @annotate_device_placement(%b) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<256x512xf32>) -> tensor<256x512xf32>
  %0 = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  %1 = stablehlo.tanh %0 : tensor<256x512xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  %p, %q, %s = stablehlo.optimization_barrier %x, %y, %2 : tensor<256x512xf32>, tensor<256x512xf32>, tensor<256x512xf32>
  %3 = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  %4 = stablehlo.multiply %p, %q : tensor<256x512xf32>
  %5 = stablehlo.add %3, %4 : tensor<256x512xf32>
  return %5 : tensor<256x512xf32>
}
