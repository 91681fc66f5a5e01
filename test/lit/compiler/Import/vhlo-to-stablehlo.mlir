// Operations of every version become StableHLO; attributes with default values are omitted.
// RUN: %systole-opt --systole-vhlo-to-stablehlo %s | FileCheck %s

// CHECK-LABEL: func.func public @main(%arg0: tensor<4x8xf32> {jax.buffer_donor = true}, %arg1: tensor<8x2xf32>) -> tensor<4x2xf32>
"vhlo.func_v1"() <{
  arg_attrs = #vhlo.array_v1<[#vhlo.dict_v1<[#vhlo.string_v1<"jax.buffer_donor">, #vhlo.bool_v1<true>]>, #vhlo.dict_v1<[]>]>,
  function_type = #vhlo.type_v1<!vhlo.func_v1<[!vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>, !vhlo.tensor_v1<[8, 2], !vhlo.f32_v1>], [!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>]>>,
  res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"main">, sym_visibility = #vhlo.string_v1<"public">}> ({
^bb0(%x: !vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>, %w: !vhlo.tensor_v1<[8, 2], !vhlo.f32_v1>):
  // The first version has no accuracy attribute, the second one the default.
  // CHECK-NEXT: stablehlo.exponential %arg0 : tensor<4x8xf32>
  %0 = "vhlo.exponential_v1"(%x) : (!vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>
  // CHECK-NEXT: stablehlo.exponential %0 : tensor<4x8xf32>
  %1 = "vhlo.exponential_v2"(%0) <{result_accuracy = #vhlo.result_accuracy_v1<0, 0, 0, #vhlo.result_accuracy_mode_v1<DEFAULT>>}> : (!vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>
  // CHECK-NEXT: stablehlo.tanh %1 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}
  %2 = "vhlo.tanh_v2"(%1) <{result_accuracy = #vhlo.result_accuracy_v1<0, 0, 0, #vhlo.result_accuracy_mode_v1<HIGHEST>>}> : (!vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>
  // Dimension numbers are one attribute.
  // CHECK-NEXT: stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = "vhlo.dot_general_v1"(%2, %w) <{
    lhs_batching_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.i64_v1>, "0x">,
    rhs_batching_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[0], !vhlo.i64_v1>, "0x">,
    lhs_contracting_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.i64_v1>, "0x0100000000000000">,
    rhs_contracting_dimensions = #vhlo.tensor_v1<!vhlo.tensor_v1<[1], !vhlo.i64_v1>, "0x0000000000000000">,
    precision_config = #vhlo.array_v1<[#vhlo.precision_v1<DEFAULT>, #vhlo.precision_v1<DEFAULT>]>
  }> : (!vhlo.tensor_v1<[4, 8], !vhlo.f32_v1>, !vhlo.tensor_v1<[8, 2], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>
  // Names of functions are symbols, alone and in arrays.
  // CHECK-NEXT: stablehlo.custom_call @Foo(%3) {called_computations = [@callee], has_side_effect = true} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %called = "vhlo.custom_call_v1"(%3) <{
    api_version = #vhlo.api_version_v1<API_VERSION_ORIGINAL>, backend_config = #vhlo.string_v1<"">,
    call_target_name = #vhlo.string_v1<"Foo">, called_computations = #vhlo.array_v1<[#vhlo.string_v1<"callee">]>,
    has_side_effect = #vhlo.bool_v1<true>, operand_layouts = #vhlo.array_v1<[]>,
    output_operand_aliases = #vhlo.array_v1<[]>, result_layouts = #vhlo.array_v1<[]>
  }> : (!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>
  // Discardable attributes are kept.
  // CHECK-NEXT: call @callee(%3) {note = "kept"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = "vhlo.call_v1"(%3) <{callee = #vhlo.string_v1<"callee">}> {note = #vhlo.string_v1<"kept">} : (!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>) -> !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>
  // CHECK-NEXT: return %5 : tensor<4x2xf32>
  "vhlo.return_v1"(%4) : (!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>) -> ()
}) : () -> ()

// Artifacts that mix dialects cast between types that are the same.
// CHECK-LABEL: func.func private @callee(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32>
"vhlo.func_v1"() <{
  arg_attrs = #vhlo.array_v1<[]>,
  function_type = #vhlo.type_v1<!vhlo.func_v1<[!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>], [!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>]>>,
  res_attrs = #vhlo.array_v1<[]>, sym_name = #vhlo.string_v1<"callee">, sym_visibility = #vhlo.string_v1<"private">}> ({
^bb0(%x: !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>):
  %0 = builtin.unrealized_conversion_cast %x : !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1> to tensor<4x2xf32>
  // CHECK-NEXT: "sdy.reshard"(%arg0) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@mesh, [], []>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<4x2xf32> to !vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>
  // A window with stride 1, and booleans: 1, 0, 1, and a splat of nine.
  // CHECK-NEXT: stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<!vhlo.tensor_v1<[3], !vhlo.bool_v1>, "0x05">}> : () -> !vhlo.tensor_v1<[3], !vhlo.bool_v1>
  // CHECK-NEXT: stablehlo.constant dense<true> : tensor<9xi1>
  %4 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<!vhlo.tensor_v1<[9], !vhlo.bool_v1>, "0xff">}> : () -> !vhlo.tensor_v1<[9], !vhlo.bool_v1>
  // CHECK-NEXT: return %0 : tensor<4x2xf32>
  "vhlo.return_v1"(%2) : (!vhlo.tensor_v1<[4, 2], !vhlo.f32_v1>) -> ()
}) : () -> ()
