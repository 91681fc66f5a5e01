// The operations of the StableHLO dialect on sizes that are values.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_DYNAMIC_TD
#define SYSTOLE_DIALECTS_STABLEHLO_DYNAMIC_TD

include "dialects/StableHLO/Attributes.td"

// Sizes, positions or amounts, one for each dimension.
def StableHLO_DimensionTensor : 1DTensorOf<[StableHLO_Int, Index]>;
// A shape: how many sizes there are is known.
def StableHLO_ShapeTensor : Type<
    And<[StableHLO_DimensionTensor.predicate, HasStaticShapePred]>,
    !strconcat("statically shaped ", StableHLO_DimensionTensor.summary),
    "::mlir::RankedTensorType">;

def StableHLO_DynamicBroadcastInDimOp : StableHLO_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "Repeat a tensor along dimensions of computed sizes";
  let semantics = [{
    `broadcast_in_dim` to the shape `output_dimensions`. `known_expanding_dimensions` and
    `known_nonexpanding_dimensions` list operand dimensions that are known to have size 1 and the
    result's size.

    Constraints:
    - operand and result have the same element type;
    - `output_dimensions` has an element for each dimension of the result;
    - `broadcast_dimensions` has one entry per operand dimension, each a dimension of the
      result and none twice;
    - an operand dimension has size 1 or the size of its result dimension;
    - the known dimensions are operand dimensions, none twice.
  }];
  let arguments = (ins
    StableHLO_PerAxisTensor:$operand,
    StableHLO_ShapeTensor:$output_dimensions,
    DenseI64ArrayAttr:$broadcast_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
    OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_broadcast_in_dim(%x: tensor<3xf32>, %sizes: tensor<2xi32>)
        -> tensor<?x3xf32> {
      %r = stablehlo.dynamic_broadcast_in_dim %x, %sizes, dims = [1]
          : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
      return %r : tensor<?x3xf32>
    }
  }];
}

def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape", [Pure]> {
  let summary = "Give a tensor a computed shape";
  let semantics = [{
    The same elements in the same row-major order under the shape `output_shape`.

    Constraints:
    - operand and result have the same element type, and as many elements;
    - `output_shape` has an element for each dimension of the result.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$operand, StableHLO_ShapeTensor:$output_shape);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_reshape(%x: tensor<?x6xf32>, %sizes: tensor<2xi32>) -> tensor<?x3xf32> {
      %r = stablehlo.dynamic_reshape %x, %sizes
          : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x3xf32>
      return %r : tensor<?x3xf32>
    }
  }];
}

def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota", [Pure]> {
  let summary = "Numbers that count along one dimension of a computed shape";
  let semantics = [{
    `iota` of the shape `output_shape`.

    Constraints:
    - `iota_dimension` is a dimension of the result;
    - `output_shape` has an element for each dimension of the result.
  }];
  let arguments = (ins StableHLO_ShapeTensor:$output_shape,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_NumberTensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_iota(%sizes: tensor<2xi32>) -> tensor<?x3xi32> {
      %r = stablehlo.dynamic_iota %sizes, dim = 0 : (tensor<2xi32>) -> tensor<?x3xi32>
      return %r : tensor<?x3xi32>
    }
  }];
}

def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad", [Pure]> {
  let summary = "Surround a tensor by computed amounts of a value";
  let semantics = [{
    `pad` by amounts that are operands.

    Constraints:
    - operand, `padding_value` and result have the same element type;
    - the amounts have one type, with an element for each dimension of the operand.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Scalar:$padding_value,
    StableHLO_DimensionTensor:$edge_padding_low,
    StableHLO_DimensionTensor:$edge_padding_high,
    StableHLO_DimensionTensor:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_pad(%x: tensor<?xf32>, %v: tensor<f32>, %low: tensor<1xi32>,
                           %high: tensor<1xi32>, %inner: tensor<1xi32>) -> tensor<?xf32> {
      %r = stablehlo.dynamic_pad %x, %v, %low, %high, %inner
          : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
          -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }];
}

def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice", [Pure]> {
  let summary = "Extract a box of computed size at a computed position";
  let semantics = [{
    `slice` with starts, limits and strides that are operands.

    Constraints:
    - operand and result have the same element type and rank;
    - starts, limits and strides have one type, with an element for each dimension.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_DimensionTensor:$start_indices,
    StableHLO_DimensionTensor:$limit_indices,
    StableHLO_DimensionTensor:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let example = [{
    func.func @real_dynamic_slice(%x: tensor<?xf32>, %from: tensor<1xi32>, %to: tensor<1xi32>,
                                  %by: tensor<1xi32>) -> tensor<?xf32> {
      %r = stablehlo.real_dynamic_slice %x, %from, %to, %by
          : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }];
}

def StableHLO_DynamicGatherOp : StableHLO_Op<"dynamic_gather", [Pure]> {
  let summary = "Collect slices of computed sizes";
  let semantics = [{
    `gather` with `slice_sizes` that are an operand.

    Constraints:
    - operand and result have the same element type;
    - `slice_sizes` has an element for each dimension of the operand.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IntTensor:$start_indices,
    1DTensorOf<[StableHLO_Int]>:$slice_sizes,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_gather(%x: tensor<?x8xf32>, %i: tensor<5x1xi32>, %sizes: tensor<2xi32>)
        -> tensor<5x8xf32> {
      %r = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{
        dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>
      }> : (tensor<?x8xf32>, tensor<5x1xi32>, tensor<2xi32>) -> tensor<5x8xf32>
      return %r : tensor<5x8xf32>
    }
  }];
}

def StableHLO_DynamicConvOp : StableHLO_Op<"dynamic_conv", [Pure]> {
  let summary = "A convolution with computed padding";
  let semantics = [{
    `convolution` with a `padding` that is an operand, low and high for each spatial dimension.

    Constraints: `padding` has a row of two elements for each spatial dimension.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_PerAxisTensor:$rhs,
    2DTensorOf<[StableHLO_Int]>:$padding,
    OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
    OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvDimensionNumbersAttr:$dimension_numbers,
    I64Attr:$feature_group_count,
    I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @dynamic_conv(%x: tensor<2x?x8x3xf32>, %w: tensor<3x3x3x16xf32>,
                            %pad: tensor<2x2xi32>) -> tensor<2x?x?x16xf32> {
      %y = "stablehlo.dynamic_conv"(%x, %w, %pad) <{
        batch_group_count = 1 : i64, feature_group_count = 1 : i64,
        dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
      }> : (tensor<2x?x8x3xf32>, tensor<3x3x3x16xf32>, tensor<2x2xi32>) -> tensor<2x?x?x16xf32>
      return %y : tensor<2x?x?x16xf32>
    }
  }];
}

def StableHLO_GetDimensionSizeOp : StableHLO_Op<"get_dimension_size", [Pure]> {
  let summary = "The size of a dimension";
  let semantics = [{
    The number of elements along `dimension`.

    Constraint: `dimension` is a dimension of the operand.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$operand,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_I32Scalar:$result);
  let assemblyFormat = [{
    $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @get_dimension_size(%x: tensor<?x8xf32>) -> tensor<i32> {
      %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
      return %r : tensor<i32>
    }
  }];
}

def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size", [Pure]> {
  let summary = "Cut a dimension to a computed size";
  let semantics = [{
    The first `size` elements along `dimension`.

    Constraints:
    - `dimension` is a dimension of the operand;
    - the result has the operand's element type and its other sizes.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_I32Scalar:$size,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @set_dimension_size(%x: tensor<4x8xf32>, %n: tensor<i32>)
        -> tensor<?x8xf32, #stablehlo.bounds<4, ?>> {
      %r = stablehlo.set_dimension_size %x, %n, dim = 0
          : (tensor<4x8xf32>, tensor<i32>) -> tensor<?x8xf32, #stablehlo.bounds<4, ?>>
      return %r : tensor<?x8xf32, #stablehlo.bounds<4, ?>>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_DYNAMIC_TD
