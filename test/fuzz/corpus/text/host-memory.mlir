
func.func @main(%x: tensor<4x8xf32> {mhlo.memory_kind = "pinned_host"}, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32> {mhlo.memory_kind = "unpinned_host"}) {
  %0 = stablehlo.custom_call @annotate_device_placement(%x) {has_side_effect = true,
      mhlo.frontend_attributes = {_xla_buffer_placement = "device"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.add %0, %y : tensor<4x8xf32>
  %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true,
      mhlo.frontend_attributes = {_xla_buffer_placement = "unpinned_host"}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}
