// The enumerations and structured attributes of the StableHLO dialect.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_ATTRIBUTES_TD
#define SYSTOLE_DIALECTS_STABLEHLO_ATTRIBUTES_TD

include "mlir/IR/EnumAttr.td"
include "dialects/StableHLO/StableHLOBase.td"

//===----------------------------------------------------------------------===//
// Enumerations, written `#stablehlo<comparison_direction LT>` on their own and
// `LT` where an operation expects one
//===----------------------------------------------------------------------===//

class StableHLO_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::systole::stablehlo";
}

def StableHLO_Precision : StableHLO_Enum<"Precision",
    "How much precision a contraction may give up on one operand",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
     I32EnumAttrCase<"HIGHEST", 2>]>;
def StableHLO_PrecisionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfigAttr
    : TypedArrayAttrBase<StableHLO_PrecisionAttr,
                         "array of `precision` attributes">;

def StableHLO_ComparisonDirection : StableHLO_Enum<"ComparisonDirection",
    "The relation that a comparison tests",
    [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>,
     I32EnumAttrCase<"GE", 2>, I32EnumAttrCase<"GT", 3>,
     I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def StableHLO_ComparisonDirectionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ComparisonDirection,
               "comparison_direction">;

def StableHLO_ComparisonType : StableHLO_Enum<"ComparisonType",
    "The order on the elements that a comparison uses",
    [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
     I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
     I32EnumAttrCase<"UNSIGNED", 4>]>;
def StableHLO_ComparisonTypeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ComparisonType, "comparison_type">;

def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm",
    "The generator of random bits",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
     I32EnumAttrCase<"PHILOX", 2>]>;
def StableHLO_RngAlgorithmAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_RngAlgorithm, "rng_algorithm">;

def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution",
    "The distribution of random numbers",
    [I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def StableHLO_RngDistributionAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_RngDistribution, "rng_distribution">;

def StableHLO_FftType : StableHLO_Enum<"FftType",
    "Which way a Fourier transform goes, and which side of it is real",
    [I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
     I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def StableHLO_FftTypeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_FftType, "fft_type">;

def StableHLO_Transpose : StableHLO_Enum<"Transpose",
    "What a triangular matrix is before it is solved with",
    [I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
     I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def StableHLO_TransposeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_Transpose, "transpose">;

def StableHLO_ResultAccuracyMode : StableHLO_Enum<"ResultAccuracyMode",
    "How the accuracy of a transcendental function is chosen",
    [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
     I32EnumAttrCase<"TOLERANCE", 2>]>;
def StableHLO_ResultAccuracyModeAttr
    : EnumAttr<StableHLO_Dialect, StableHLO_ResultAccuracyMode,
               "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

class StableHLO_Attr<string name, string attrMnemonic>
    : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
}

// A list of dimension numbers.
class StableHLO_Dims<string description>
    : ArrayRefParameter<"int64_t", description>;

def StableHLO_DotDimensionNumbersAttr
    : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "The dimensions that a contraction pairs";
  let description = [{
    Batching dimensions are paired in order and kept; contracting dimensions
    are paired in order and summed over. A list that is empty may be left out.

    Syntax: `#stablehlo.dot<lhs_batching_dimensions = [0],
    rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2],
    rhs_contracting_dimensions = [1]>`.
  }];
  let parameters = (ins
    StableHLO_Dims<"kept dimensions of the left operand">:$lhsBatchingDimensions,
    StableHLO_Dims<"their counterparts on the right">:$rhsBatchingDimensions,
    StableHLO_Dims<"summed dimensions of the left operand">:$lhsContractingDimensions,
    StableHLO_Dims<"their counterparts on the right">:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_GatherDimensionNumbersAttr
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "How a gather maps indices and slices to its result";
  let description = [{
    `offset_dims` are the result's dimensions within a slice, the rest
    enumerate the indices. `collapsed_slice_dims` are operand dimensions of
    slice size 1 that the result drops. `operand_batching_dims` and
    `start_indices_batching_dims` pair dimensions over which both inputs
    advance together. Entry i of an index addresses operand dimension
    `start_index_map[i]`, and the entries of an index lie along dimension
    `index_vector_dim` of the indices. Empty lists and a zero
    `index_vector_dim` may be left out.
  }];
  let parameters = (ins
    StableHLO_Dims<"result dimensions inside a slice">:$offsetDims,
    StableHLO_Dims<"operand dimensions dropped from the slice">:$collapsedSliceDims,
    StableHLO_Dims<"operand dimensions paired with indices">:$operandBatchingDims,
    StableHLO_Dims<"their counterparts in the indices">:$startIndicesBatchingDims,
    StableHLO_Dims<"operand dimension of each index entry">:$startIndexMap,
    "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ScatterDimensionNumbersAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "How a scatter maps indices and updates to its inputs";
  let description = [{
    `update_window_dims` are the updates' dimensions within a window, the rest
    enumerate the indices. `inserted_window_dims` are input dimensions that
    windows lack, having size 1 there. `input_batching_dims` and
    `scatter_indices_batching_dims` pair dimensions over which inputs and
    indices advance together. Entry i of an index addresses input dimension
    `scatter_dims_to_operand_dims[i]`, and the entries of an index lie along
    dimension `index_vector_dim` of the indices. Empty lists and a zero
    `index_vector_dim` may be left out.
  }];
  let parameters = (ins
    StableHLO_Dims<"update dimensions inside a window">:$updateWindowDims,
    StableHLO_Dims<"input dimensions that windows lack">:$insertedWindowDims,
    StableHLO_Dims<"input dimensions paired with indices">:$inputBatchingDims,
    StableHLO_Dims<"their counterparts in the indices">:$scatterIndicesBatchingDims,
    StableHLO_Dims<"input dimension of each index entry">:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_ConvDimensionNumbersAttr
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "The roles of the dimensions of a convolution";
  let description = [{
    Input and result have a batch dimension `b` and a feature dimension `f`, the
    kernel one of input features `i` and one of output features `o`; all others
    are spatial, numbered alike in the three.

    Syntax: `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`. The form
    `#stablehlo.conv<raw input_batch_dimension = 0, ...>` can also hold numbers that
    name no dimensions; it is parsed, and printed where the first form cannot be.
  }];
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    StableHLO_Dims<"spatial dimensions of the input">:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    StableHLO_Dims<"spatial dimensions of the kernel">:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    StableHLO_Dims<"spatial dimensions of the result">:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_DotAlgorithmAttr
    : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "The arithmetic that a contraction must use";
  let description = [{
    The operands are rounded to the precision types, each split into that many
    components, and the given number of products of components is accumulated
    in the accumulation type.
  }];
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType,
    "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<`
      `lhs_precision_type` `=` $lhsPrecisionType `,`
      `rhs_precision_type` `=` $rhsPrecisionType `,`
      `accumulation_type` `=` $accumulationType `,`
      `lhs_component_count` `=` $lhsComponentCount `,`
      `rhs_component_count` `=` $rhsComponentCount `,`
      `num_primitive_operations` `=` $numPrimitiveOperations `,`
      `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation
    `>`
  }];
  let genVerifyDecl = 1;
}

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "The required accuracy of a transcendental function";
  let description = [{
    With mode `TOLERANCE` the result may be off by `atol`, by `rtol` times its
    magnitude, or by `ulps` units in the last place, whichever is largest;
    with `DEFAULT` and `HIGHEST` the three numbers are zero and not written.

    Syntax: `#stablehlo.result_accuracy<rtol = 1.0e-5, mode =
    #stablehlo.result_accuracy_mode<TOLERANCE>>`.
  }];
  let parameters = (ins
    "::llvm::APFloat":$atol,
    "::llvm::APFloat":$rtol,
    "int64_t":$ulps,
    "::systole::stablehlo::ResultAccuracyModeAttr":$mode);
  let builders = [AttrBuilder<(ins "::systole::stablehlo::ResultAccuracyMode":$mode)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let constBuilderCall = "::systole::stablehlo::ResultAccuracyAttr::get("
                         "$_builder.getContext(), $0)";
}

def StableHLO_BoundsAttr : StableHLO_Attr<"Bounds", "bounds"> {
  let summary = "The largest sizes of the dimensions of a tensor";
  let description = [{
    An encoding of tensors with an entry for each dimension, `?` where there is none.

    Syntax: `#stablehlo.bounds<4, ?>`. Its former name is parsed, too:
    `#stablehlo.type_extensions<bounds = [4, ?]>`.
  }];
  let parameters = (ins StableHLO_Dims<"the largest size of each dimension">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_MeshAxisAttr : StableHLO_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A dimension of a mesh of devices";
  let description = [{
    Syntax: `#stablehlo.mesh_axis<name = "x", size = 2>`, with a positive size.
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def StableHLO_MeshAttr : StableHLO_Attr<"Mesh", "mesh"> {
  let summary = "An array of devices whose dimensions have names";
  let description = [{
    Devices are those of `device_ids`, in row-major order, or from 0 on.

    Syntax: `#stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"::systole::stablehlo::MeshAxisAttr", "the dimensions">:$axes,
    OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $deviceIds^)? `>`
  }];
}

def StableHLO_SubAxisInfoAttr : StableHLO_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "A part of an axis of a mesh";
  let description = [{
    The axis is divided into one of size `pre_size`, one of size `size`, and the rest; it is the
    second.

    Syntax: `(2)4`, of sizes 2 and 4.
  }];
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "The name of an axis of a mesh, or of a part of it";
  let description = [{
    Syntax: `#stablehlo.axis_ref<name = "x">`, `#stablehlo.axis_ref<name = "x", sub_axis_info =
    (2)4>`.
  }];
  let parameters = (ins
    StringRefParameter<>:$name,
    OptionalParameter<"::systole::stablehlo::SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "Groups of devices along axes of a mesh";
  let description = [{
    Devices are in one group if their positions differ along `axes` alone. `mesh` is a mesh or the
    symbol of one.

    Syntax: `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name =
    "x">]>`.
  }];
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def StableHLO_ChannelHandleAttr
    : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "The channel of a transfer";
  let description = [{
    Both ends of a transfer name the same `handle`. `type` is 1 between devices, 2 from
    device to host, 3 from host to device, and 0 if it is unspecified.

    Syntax: `#stablehlo.channel_handle<handle = 2, type = 3>`.
  }];
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` `handle` `=` $handle `,` `type` `=` $type `>`";
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "An operand of a custom call whose memory a result is written to";
  let description = [{
    Indices select an element of nested tuples; several results count as a
    tuple.

    Syntax: `#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
    operand_tuple_indices = [1]>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$outputTupleIndices,
    "int64_t":$operandIndex,
    ArrayRefParameter<"int64_t">:$operandTupleIndices);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_OutputOperandAliasesAttr
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr, "array of output_operand_alias">;

// The optional attribute of the transcendental operations.
def StableHLO_OptionalResultAccuracy : DefaultValuedOptionalAttr<
    StableHLO_ResultAccuracyAttr,
    "::systole::stablehlo::ResultAccuracyMode::DEFAULT">;

#endif // SYSTOLE_DIALECTS_STABLEHLO_ATTRIBUTES_TD
