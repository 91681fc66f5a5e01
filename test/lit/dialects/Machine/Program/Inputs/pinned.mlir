func.func @main(%x: tensor<4x6xf32> {mhlo.memory_kind = "unpinned_host"}) -> (tensor<4x6xf32> {mhlo.memory_kind = "pinned_host"}) {
  %0 = stablehlo.custom_call @annotate_device_placement(%x) {mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.add %0, %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
