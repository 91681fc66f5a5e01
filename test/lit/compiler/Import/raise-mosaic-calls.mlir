// A kernel's call in a text for others: its name and aliases, without its code.
// RUN: %systole-opt %s --systole-raise-mosaic-calls | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]]:2 = stablehlo.custom_call @tpu_custom_call(%{{.*}}, %{{.*}}) {
// CHECK-SAME: has_side_effect = true
// CHECK-SAME: kernel_name = "twice"
// CHECK-SAME: output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>
// CHECK: stablehlo.custom_call @tpu_custom_call(%[[R]]#0)
// CHECK-NOT: @twice
func.func @main(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0:2 = kernel.mosaic_call @twice(%x, %y) aliases = [-1, 0] side_effects : (tensor<8x128xf32>, tensor<8x128xf32>) -> (tensor<8x128xf32>, tensor<8x128xf32>)
  %1 = kernel.mosaic_call @twice(%0#0) aliases = [-1] : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %1 : tensor<8x128xf32>
}
module @twice {
}
