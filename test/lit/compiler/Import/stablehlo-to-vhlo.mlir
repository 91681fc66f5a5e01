// Each version of StableHLO gets the operations it has.
// RUN: %systole-opt --systole-stablehlo-to-vhlo=version=1.17 %s | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: %systole-opt --systole-stablehlo-to-vhlo=version=1.8.3 %s | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: %systole-opt --systole-stablehlo-to-vhlo %s --systole-vhlo-to-stablehlo | FileCheck %s --check-prefix=BACK

// CHECK: "vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<[!vhlo.tensor_v1<[2, 3], !vhlo.f32_v1>], [!vhlo.tensor_v1<[2], !vhlo.f32_v1>]>>, res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"">}>
// BACK: func.func @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // NEW: "vhlo.log_v2"(%{{.*}}) <{result_accuracy = #vhlo.result_accuracy_v1<0, 0, 0, #vhlo.result_accuracy_mode_v1<DEFAULT>>}>
  // OLD: "vhlo.log_v1"(%{{.*}}) :
  // BACK: stablehlo.log %arg0 : tensor<2x3xf32>
  %0 = stablehlo.log %x : tensor<2x3xf32>
  // CHECK: "vhlo.compare_v1"(%{{.*}}) <{compare_type = #vhlo.comparison_type_v1<NOTYPE>, comparison_direction = #vhlo.comparison_direction_v1<LT>}>
  // BACK: stablehlo.compare LT, %0, %arg0 : (
  %1 = stablehlo.compare LT, %0, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: value = #vhlo.tensor_v1<!vhlo.tensor_v1<[], !vhlo.f32_v1>, "0x0000C03F">
  // BACK: stablehlo.constant dense<1.500000e+00> : tensor<f32>
  %init = stablehlo.constant dense<1.5> : tensor<f32>
  // CHECK: "vhlo.reduce_v1"(%{{.*}}) <{dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.i64_v1>, "0x0100000000000000">}> ({
  // CHECK: "vhlo.return_v1"
  // BACK: stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1]
  %2 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // BACK: return %{{.*}} : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// BACK-LABEL: func.func @calls
func.func @calls(%x: tensor<4xf32>, %t: tuple<tensor<2xi32>, tensor<4xf32>>) -> tensor<4xf32> {
  // CHECK: output_operand_aliases = #vhlo.array_v1<[#vhlo.output_operand_alias_v1<[0], 1, [1]>]>
  // CHECK-SAME: !vhlo.tuple_v1<[!vhlo.tensor_v1<[2], !vhlo.i32_v1>, !vhlo.tensor_v1<[4], !vhlo.f32_v1>]>
  // CHECK-SAME: !vhlo.unranked_tensor_v1<!vhlo.f32_v1>
  // BACK: stablehlo.custom_call @foo({{.*}}) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = [1]>]} : (tensor<4xf32>, tuple<tensor<2xi32>, tensor<4xf32>>) -> (tensor<4xf32>, tensor<*xf32>)
  %0:2 = stablehlo.custom_call @foo(%x, %t) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = [1]>]} : (tensor<4xf32>, tuple<tensor<2xi32>, tensor<4xf32>>) -> (tensor<4xf32>, tensor<*xf32>)
  return %0#0 : tensor<4xf32>
}
