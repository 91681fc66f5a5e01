// Attributes and types of portable artifacts, with their codes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_VHLO_KINDS_TD
#define SYSTOLE_DIALECTS_VHLO_KINDS_TD

include "dialects/Coded/Coded.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Array : AttributeKind<"array_v1", 1, "", ["Attributes"]>;
def Boolean : EnumKind<"bool_v1", 2, "", ["false", "true"]>;
def ComparisonDirection
    : EnumKind<"comparison_direction_v1", 3, "", ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def ComparisonType : EnumKind<"comparison_type_v1", 4, "",
                              ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def ApiVersion
    : EnumKind<"api_version_v1", 5, "",
               ["API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"]>;
// Alternating names and values.
def Dictionary : AttributeKind<"dict_v1", 6, "", ["Pairs"]>;
def FftType : EnumKind<"fft_type_v1", 7, "", ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def Float : AttributeKind<"float_v1", 8, "", ["Type", "FloatOfType"]>;
def Integer : AttributeKind<"integer_v1", 9, "", ["Type", "IntegerOfType"]>;
def OutputOperandAlias
    : AttributeKind<"output_operand_alias_v1", 10, "", ["Ints", "Int", "Ints"]>;
def Precision : EnumKind<"precision_v1", 11, "", ["DEFAULT", "HIGH", "HIGHEST"]>;
def RngAlgorithm : EnumKind<"rng_algorithm_v1", 12, "", ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def RngDistribution : EnumKind<"rng_distribution_v1", 13, "", ["", "UNIFORM", "NORMAL"]>;
def String : AttributeKind<"string_v1", 14, "", ["String"]>;
def Tensor : AttributeKind<"tensor_v1", 15, "", ["Type", "Blob"]>;
def Transpose : EnumKind<"transpose_v1", 16, "",
                         ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;
def TypeOf : AttributeKind<"type_v1", 17, "", ["Type"]>;
def TypeExtensions : AttributeKind<"type_extensions_v1", 18, "", ["Ints"]>;
def ResultAccuracyMode
    : EnumKind<"result_accuracy_mode_v1", 19, "1.9", ["DEFAULT", "HIGHEST", "TOLERANCE"]>;
// Absolute and relative tolerance, units in the last place, and the mode.
def ResultAccuracy
    : AttributeKind<"result_accuracy_v1", 20, "1.9", ["Double", "Double", "Int", "Attribute"]>;
def SubAxisInfo : AttributeKind<"sub_axis_info_v1", 21, "1.16", ["Int", "Int"]>;
def AxisRef : AttributeKind<"axis_ref_v1", 22, "1.16", ["Attribute", "FlaggedAttribute"]>;
def ReplicaGroupMeshAxes
    : AttributeKind<"replica_group_mesh_axes_v1", 23, "1.16", ["Attribute", "Attribute"]>;
def MeshAxis : AttributeKind<"mesh_axis_v1", 24, "1.16", ["Attribute", "Int"]>;
def Mesh : AttributeKind<"mesh_v1", 25, "1.16", ["Attribute", "OptionalAttribute"]>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def BooleanType : ScalarKind<"bool_v1", 0, "", "IntegerType::get(context, 1)">;
def ComplexType : TypeKind<"complex_v1", 1, "", ["Type"]>;
def BF16 : ScalarKind<"bf16_v1", 2, "", "BFloat16Type::get(context)">;
def F16 : ScalarKind<"f16_v1", 3, "", "Float16Type::get(context)">;
def F32 : ScalarKind<"f32_v1", 4, "", "Float32Type::get(context)">;
def F64 : ScalarKind<"f64_v1", 5, "", "Float64Type::get(context)">;
def F8E4M3FN : ScalarKind<"f8E4M3FN_v1", 6, "", "Float8E4M3FNType::get(context)">;
def F8E5M2 : ScalarKind<"f8E5M2_v1", 7, "", "Float8E5M2Type::get(context)">;
def Function : TypeKind<"func_v1", 8, "", ["Types", "Types"]>;
def Index : ScalarKind<"index_v1", 9, "", "IndexType::get(context)">;
def SI4 : ScalarKind<"i4_v1", 10, "", "IntegerType::get(context, 4)">;
def SI8 : ScalarKind<"i8_v1", 11, "", "IntegerType::get(context, 8)">;
def SI16 : ScalarKind<"i16_v1", 12, "", "IntegerType::get(context, 16)">;
def SI32 : ScalarKind<"i32_v1", 13, "", "IntegerType::get(context, 32)">;
def SI64 : ScalarKind<"i64_v1", 14, "", "IntegerType::get(context, 64)">;
def UI4 : ScalarKind<"ui4_v1", 15, "", "IntegerType::get(context, 4, IntegerType::Unsigned)">;
def UI8 : ScalarKind<"ui8_v1", 16, "", "IntegerType::get(context, 8, IntegerType::Unsigned)">;
def UI16 : ScalarKind<"ui16_v1", 17, "", "IntegerType::get(context, 16, IntegerType::Unsigned)">;
def UI32 : ScalarKind<"ui32_v1", 18, "", "IntegerType::get(context, 32, IntegerType::Unsigned)">;
def UI64 : ScalarKind<"ui64_v1", 19, "", "IntegerType::get(context, 64, IntegerType::Unsigned)">;
def RankedTensor : TypeKind<"tensor_v1", 20, "", ["Ints", "Type"]>;
def EncodedTensor : TypeKind<"encoded_tensor_v1", 21, "", ["Attribute", "Ints", "Type"]>;
def Token : ScalarKind<"token_v1", 22, "">;
def Tuple : TypeKind<"tuple_v1", 23, "", ["Types"]>;
// Flags, storage and expressed type, scale, zero point, least and largest stored value.
def Quantized : TypeKind<"quant_v1", 24, "",
                         ["UInt", "Type", "Type", "Double", "Int", "Int", "Int"]>;
def UnrankedTensor : TypeKind<"unranked_tensor_v1", 25, "", ["Type"]>;
def Witness : ScalarKind<"witness_v1", 26, "">;
def F8E4M3FNUZ : ScalarKind<"f8E4M3FNUZ_v1", 27, "0.10", "Float8E4M3FNUZType::get(context)">;
def F8E5M2FNUZ : ScalarKind<"f8E5M2FNUZ_v1", 28, "0.10", "Float8E5M2FNUZType::get(context)">;
def F8E4M3B11FNUZ : ScalarKind<"f8E4M3B11FNUZ_v1", 29, "0.11", "Float8E4M3B11FNUZType::get(context)">;
// Flags, storage and expressed type, the axis, least and largest stored value, scales and zero
// points along the axis.
def QuantizedPerAxis : TypeKind<"quant_per_axis_v1", 30, "0.18",
                                ["UInt", "Type", "Type", "UInt", "Int", "Int", "Doubles", "Ints"]>;
def SI2 : ScalarKind<"i2_v1", 31, "1.2", "IntegerType::get(context, 2)">;
def UI2 : ScalarKind<"ui2_v1", 32, "1.2", "IntegerType::get(context, 2, IntegerType::Unsigned)">;
def None : ScalarKind<"none_v1", 33, "1.6", "NoneType::get(context)">;
def TF32 : ScalarKind<"tf31_v1", 34, "1.6", "FloatTF32Type::get(context)">;
def F8E4M3 : ScalarKind<"f8E4M3_v1", 35, "1.7", "Float8E4M3Type::get(context)">;
def F8E3M4 : ScalarKind<"f8E3M4_v1", 36, "1.7", "Float8E3M4Type::get(context)">;
def F4E2M1FN : ScalarKind<"f4E2M1FN_v1", 37, "1.8", "Float4E2M1FNType::get(context)">;
def F6E2M3FN : ScalarKind<"f6E2M3FN_v1", 38, "1.8", "Float6E2M3FNType::get(context)">;
def F6E3M2FN : ScalarKind<"f6E3M2FN_v1", 39, "1.8", "Float6E3M2FNType::get(context)">;
def F8E8M0FNU : ScalarKind<"f8E8M0FNU_v1", 40, "1.8", "Float8E8M0FNUType::get(context)">;
def Buffer : TypeKind<"buffer_v1", 41, "1.13", ["Ints", "Type"]>;
def Future : TypeKind<"future_v1", 42, "1.15", ["Types"]>;

#endif // SYSTOLE_DIALECTS_VHLO_KINDS_TD
