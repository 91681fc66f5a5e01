// Tuples are flattened in order, at any nesting depth.
// RUN: systole-opt --systole-vhlo-to-stablehlo %s | FileCheck %s

!x = !vhlo.tensor_v1<[3], !vhlo.f32_v1>
!i = !vhlo.tensor_v1<[], !vhlo.i32_v1>
!inner = !vhlo.tuple_v1<[!x, !vhlo.tuple_v1<[]>, !x]>
!outer = !vhlo.tuple_v1<[!i, !inner]>

// CHECK-LABEL: func.func public @main
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[I:.*]]: tensor<i32>)
// CHECK-NEXT: %[[Q:.*]]:2 = stablehlo.custom_call @f(%[[X]])
// CHECK-SAME: output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]
// CHECK-SAME: result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]
// CHECK-SAME: (tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
// CHECK-NEXT: %[[R:.*]]:2 = call @callee(%[[I]], %[[X]], %[[Q]]#0) : (tensor<i32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[Q]]#1
"vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<[!x, !i], [!x, !i, !i]>>, res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
^bb0(%x: !x, %i: !i):
  %q = "vhlo.custom_call_v1"(%x) <{api_version = #vhlo.api_version_v1<API_VERSION_ORIGINAL>, backend_config = #vhlo.string_v1<"">, call_target_name = #vhlo.string_v1<"f">, called_computations = #vhlo.array_v1<[]>, has_side_effect = #vhlo.bool_v1<false>, operand_layouts = #vhlo.array_v1<[#vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.index_v1>, "0x0000000000000000">]>, output_operand_aliases = #vhlo.array_v1<[#vhlo.output_operand_alias_v1<[0], 0, []>]>, result_layouts = #vhlo.array_v1<[#vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.index_v1>, "0x0000000000000000">, #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.index_v1>, "0x">]>}> : (!x) -> !vhlo.tuple_v1<[!x, !i]>
  %q0 = "vhlo.get_tuple_element_v1"(%q) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 0>}> : (!vhlo.tuple_v1<[!x, !i]>) -> !x
  %q1 = "vhlo.get_tuple_element_v1"(%q) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 1>}> : (!vhlo.tuple_v1<[!x, !i]>) -> !i
  %none = "vhlo.tuple_v1"() : () -> !vhlo.tuple_v1<[]>
  %inner = "vhlo.tuple_v1"(%x, %none, %q0) : (!x, !vhlo.tuple_v1<[]>, !x) -> !inner
  %outer = "vhlo.tuple_v1"(%i, %inner) : (!i, !inner) -> !outer
  %r = "vhlo.call_v1"(%outer) <{callee = #vhlo.string_v1<"callee">}> : (!outer) -> !vhlo.tuple_v1<[!x, !i]>
  %r0 = "vhlo.get_tuple_element_v1"(%r) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 0>}> : (!vhlo.tuple_v1<[!x, !i]>) -> !x
  %r1 = "vhlo.get_tuple_element_v1"(%r) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 1>}> : (!vhlo.tuple_v1<[!x, !i]>) -> !i
  "vhlo.return_v1"(%r0, %r1, %q1) : (!x, !i, !i) -> ()
}) : () -> ()

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: (%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<3xf32>, %[[LAST:.*]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
// CHECK-NEXT: return %[[LAST]], %[[I]]
"vhlo.func_v1"() <{arg_attrs = #vhlo.array_v1<[]>, function_type = #vhlo.type_v1<!vhlo.func_v1<[!outer], [!vhlo.tuple_v1<[!x, !i]>]>>, res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"callee">, sym_visibility = #vhlo.string_v1<"private">}> ({
^bb0(%outer: !outer):
  %i = "vhlo.get_tuple_element_v1"(%outer) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 0>}> : (!outer) -> !i
  %inner = "vhlo.get_tuple_element_v1"(%outer) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 1>}> : (!outer) -> !inner
  %last = "vhlo.get_tuple_element_v1"(%inner) <{index = #vhlo.integer_v1<!vhlo.i32_v1, 2>}> : (!inner) -> !x
  %made = "vhlo.tuple_v1"(%last, %i) : (!x, !i) -> !vhlo.tuple_v1<[!x, !i]>
  "vhlo.return_v1"(%made) : (!vhlo.tuple_v1<[!x, !i]>) -> ()
}) : () -> ()
