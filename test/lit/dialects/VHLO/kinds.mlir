// Every kind of attribute and type of portable artifacts has a text, and is the same after it and
// after bytecode.
// RUN: %systole-opt %s | FileCheck %s

// CHECK-LABEL: @attributes
func.func private @attributes() attributes {
  // CHECK-SAME: a01 = #vhlo.array_v1<[#vhlo.bool_v1<true>, #vhlo.array_v1<[]>]>
  a01 = #vhlo.array_v1<[#vhlo.bool_v1<true>, #vhlo.array_v1<[]>]>,
  // CHECK-SAME: a03 = #vhlo.comparison_direction_v1<LT>
  a03 = #vhlo.comparison_direction_v1<LT>,
  // CHECK-SAME: a04 = #vhlo.comparison_type_v1<TOTALORDER>
  a04 = #vhlo.comparison_type_v1<TOTALORDER>,
  // CHECK-SAME: a05 = #vhlo.api_version_v1<API_VERSION_TYPED_FFI>
  a05 = #vhlo.api_version_v1<API_VERSION_TYPED_FFI>,
  // CHECK-SAME: a06 = #vhlo.dict_v1<[#vhlo.string_v1<"k">, #vhlo.bool_v1<false>]>
  a06 = #vhlo.dict_v1<[#vhlo.string_v1<"k">, #vhlo.bool_v1<false>]>,
  // CHECK-SAME: a07 = #vhlo.fft_type_v1<IRFFT>
  a07 = #vhlo.fft_type_v1<IRFFT>,
  // The bits of 1.5 in f32, and of -2 in bf16.
  // CHECK-SAME: a08 = #vhlo.float_v1<!vhlo.f32_v1, 1069547520>
  a08 = #vhlo.float_v1<!vhlo.f32_v1, 1069547520>,
  // CHECK-SAME: a08n = #vhlo.float_v1<!vhlo.bf16_v1, 49152>
  a08n = #vhlo.float_v1<!vhlo.bf16_v1, 49152>,
  // CHECK-SAME: a09 = #vhlo.integer_v1<!vhlo.i64_v1, -5>
  a09 = #vhlo.integer_v1<!vhlo.i64_v1, -5>,
  // CHECK-SAME: a10 = #vhlo.output_operand_alias_v1<[0, 1], 2, []>
  a10 = #vhlo.output_operand_alias_v1<[0, 1], 2, []>,
  // CHECK-SAME: a11 = #vhlo.precision_v1<HIGHEST>
  a11 = #vhlo.precision_v1<HIGHEST>,
  // CHECK-SAME: a12 = #vhlo.rng_algorithm_v1<THREE_FRY>
  a12 = #vhlo.rng_algorithm_v1<THREE_FRY>,
  // CHECK-SAME: a13 = #vhlo.rng_distribution_v1<NORMAL>
  a13 = #vhlo.rng_distribution_v1<NORMAL>,
  // CHECK-SAME: a14 = #vhlo.string_v1<"a\22\00\FF">
  a14 = #vhlo.string_v1<"a\22\00\FF">,
  // CHECK-SAME: a15 = #vhlo.tensor_v1<!vhlo.tensor_v1<[2], !vhlo.i8_v1>, "0x0AFF">
  a15 = #vhlo.tensor_v1<!vhlo.tensor_v1<[2], !vhlo.i8_v1>, "0x0aff">,
  // CHECK-SAME: a16 = #vhlo.transpose_v1<ADJOINT>
  a16 = #vhlo.transpose_v1<ADJOINT>,
  // CHECK-SAME: a17 = #vhlo.type_v1<!vhlo.none_v1>
  a17 = #vhlo.type_v1<!vhlo.none_v1>,
  // CHECK-SAME: a18 = #vhlo.type_extensions_v1<[4, -1]>
  a18 = #vhlo.type_extensions_v1<[4, -1]>,
  // CHECK-SAME: a20 = #vhlo.result_accuracy_v1<0, 4598175219545276416, 4, #vhlo.result_accuracy_mode_v1<TOLERANCE>>
  a20 = #vhlo.result_accuracy_v1<0, 4598175219545276416, 4, #vhlo.result_accuracy_mode_v1<TOLERANCE>>,
  // CHECK-SAME: a22 = #vhlo.axis_ref_v1<#vhlo.string_v1<"x">, #vhlo.sub_axis_info_v1<1, 2>>
  a22 = #vhlo.axis_ref_v1<#vhlo.string_v1<"x">, #vhlo.sub_axis_info_v1<1, 2>>,
  // CHECK-SAME: a22n = #vhlo.axis_ref_v1<#vhlo.string_v1<"x">, none>
  a22n = #vhlo.axis_ref_v1<#vhlo.string_v1<"x">, none>,
  // CHECK-SAME: a23 = #vhlo.replica_group_mesh_axes_v1<#vhlo.string_v1<"m">, #vhlo.array_v1<[]>>
  a23 = #vhlo.replica_group_mesh_axes_v1<#vhlo.string_v1<"m">, #vhlo.array_v1<[]>>,
  // CHECK-SAME: a25 = #vhlo.mesh_v1<#vhlo.array_v1<[#vhlo.mesh_axis_v1<#vhlo.string_v1<"x">, 2>]>, none>
  a25 = #vhlo.mesh_v1<#vhlo.array_v1<[#vhlo.mesh_axis_v1<#vhlo.string_v1<"x">, 2>]>, none>
}

// CHECK-LABEL: @types
func.func private @types() attributes {
  // CHECK-SAME: t00 = [!vhlo.bool_v1, !vhlo.index_v1, !vhlo.token_v1, !vhlo.witness_v1]
  t00 = [!vhlo.bool_v1, !vhlo.index_v1, !vhlo.token_v1, !vhlo.witness_v1],
  // CHECK-SAME: t01 = !vhlo.complex_v1<!vhlo.f64_v1>
  t01 = !vhlo.complex_v1<!vhlo.f64_v1>,
  // CHECK-SAME: t02 = [!vhlo.bf16_v1, !vhlo.f16_v1, !vhlo.tf31_v1, !vhlo.f8E4M3FN_v1, !vhlo.f8E5M2_v1]
  t02 = [!vhlo.bf16_v1, !vhlo.f16_v1, !vhlo.tf31_v1, !vhlo.f8E4M3FN_v1, !vhlo.f8E5M2_v1],
  // CHECK-SAME: t03 = [!vhlo.f8E4M3FNUZ_v1, !vhlo.f8E5M2FNUZ_v1, !vhlo.f8E4M3B11FNUZ_v1, !vhlo.f8E4M3_v1, !vhlo.f8E3M4_v1]
  t03 = [!vhlo.f8E4M3FNUZ_v1, !vhlo.f8E5M2FNUZ_v1, !vhlo.f8E4M3B11FNUZ_v1, !vhlo.f8E4M3_v1, !vhlo.f8E3M4_v1],
  // CHECK-SAME: t04 = [!vhlo.f4E2M1FN_v1, !vhlo.f6E2M3FN_v1, !vhlo.f6E3M2FN_v1, !vhlo.f8E8M0FNU_v1]
  t04 = [!vhlo.f4E2M1FN_v1, !vhlo.f6E2M3FN_v1, !vhlo.f6E3M2FN_v1, !vhlo.f8E8M0FNU_v1],
  // CHECK-SAME: t05 = [!vhlo.i2_v1, !vhlo.i4_v1, !vhlo.i8_v1, !vhlo.i16_v1, !vhlo.i32_v1]
  t05 = [!vhlo.i2_v1, !vhlo.i4_v1, !vhlo.i8_v1, !vhlo.i16_v1, !vhlo.i32_v1],
  // CHECK-SAME: t06 = [!vhlo.ui2_v1, !vhlo.ui4_v1, !vhlo.ui8_v1, !vhlo.ui16_v1, !vhlo.ui32_v1, !vhlo.ui64_v1]
  t06 = [!vhlo.ui2_v1, !vhlo.ui4_v1, !vhlo.ui8_v1, !vhlo.ui16_v1, !vhlo.ui32_v1, !vhlo.ui64_v1],
  // CHECK-SAME: t08 = !vhlo.func_v1<[!vhlo.f32_v1], [!vhlo.f32_v1, !vhlo.i64_v1]>
  t08 = !vhlo.func_v1<[!vhlo.f32_v1], [!vhlo.f32_v1, !vhlo.i64_v1]>,
  // CHECK-SAME: t21 = !vhlo.encoded_tensor_v1<#vhlo.type_extensions_v1<[4]>, [-1], !vhlo.f32_v1>
  t21 = !vhlo.encoded_tensor_v1<#vhlo.type_extensions_v1<[4]>, [-1], !vhlo.f32_v1>,
  // CHECK-SAME: t23 = !vhlo.tuple_v1<[!vhlo.token_v1, !vhlo.tuple_v1<[]>]>
  t23 = !vhlo.tuple_v1<[!vhlo.token_v1, !vhlo.tuple_v1<[]>]>,
  // CHECK-SAME: t24 = !vhlo.quant_v1<1, !vhlo.i8_v1, !vhlo.f32_v1, 4607182418800017408, 0, -128, 127>
  t24 = !vhlo.quant_v1<1, !vhlo.i8_v1, !vhlo.f32_v1, 4607182418800017408, 0, -128, 127>,
  // CHECK-SAME: t25 = !vhlo.unranked_tensor_v1<!vhlo.f32_v1>
  t25 = !vhlo.unranked_tensor_v1<!vhlo.f32_v1>,
  // CHECK-SAME: t30 = !vhlo.quant_per_axis_v1<1, !vhlo.i8_v1, !vhlo.f32_v1, 0, -128, 127, [4607182418800017408], [0]>
  t30 = !vhlo.quant_per_axis_v1<1, !vhlo.i8_v1, !vhlo.f32_v1, 0, -128, 127, [4607182418800017408], [0]>,
  // CHECK-SAME: t41 = !vhlo.buffer_v1<[2, 3], !vhlo.f32_v1>
  t41 = !vhlo.buffer_v1<[2, 3], !vhlo.f32_v1>,
  // CHECK-SAME: t42 = !vhlo.future_v1<[!vhlo.f32_v1]>
  t42 = !vhlo.future_v1<[!vhlo.f32_v1]>
}
