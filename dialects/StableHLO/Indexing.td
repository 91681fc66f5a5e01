// The operations of the StableHLO dialect that read and write at dynamic
// indices.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD
#define SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_DynamicSliceOp : StableHLO_InferredOp<"dynamic_slice",
    [Pure, OpKindOf<"Indexed">]> {
  let summary = "Extract a box of fixed size at a dynamic position";
  let semantics = [{
    The box of size `slice_sizes` that begins at `start_indices`. A start that
    would let the box leave the operand is moved to the nearest that does not.

    Constraints:
    - there is one start index and one slice size per operand dimension;
    - the start indices all have one type;
    - a slice size is neither negative nor above the size of its dimension;
    - the result has the operand's element type and shape `slice_sizes`.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    Variadic<StableHLO_IntScalar>:$start_indices,
    DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=`
    $slice_sizes attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    func.func @dynamic_slice(%x: tensor<4x8xf32>, %i: tensor<i32>, %j: tensor<i32>)
        -> tensor<2x8xf32> {
      %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 8]
          : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
      return %r : tensor<2x8xf32>
    }
  }];
}

def StableHLO_DynamicUpdateSliceOp
    : StableHLO_InferredOp<"dynamic_update_slice",
                            [Pure, OpKindOf<"Indexed">]> {
  let summary = "Replace a box at a dynamic position";
  let semantics = [{
    The operand, with `update` in place of the box of its shape that begins at
    `start_indices`. A start that would let the box leave the operand is moved
    to the nearest that does not.

    Constraints:
    - `update` has the operand's element type and rank and is nowhere larger;
    - there is one start index per operand dimension, all of one type;
    - operand and result have the same type.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$update,
    Variadic<StableHLO_IntScalar>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let example = [{
    func.func @dynamic_update_slice(%x: tensor<4x8xf32>, %u: tensor<1x8xf32>,
                                    %i: tensor<i32>, %j: tensor<i32>)
        -> tensor<4x8xf32> {
      %r = stablehlo.dynamic_update_slice %x, %u, %i, %j
          : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>)
          -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
  }];
}

def StableHLO_GatherOp : StableHLO_InferredOp<"gather",
    [Pure, OpKindOf<"Indexed">]> {
  let summary = "Collect slices from positions that a tensor lists";
  let semantics = [{
    Along dimension `index_vector_dim` of `start_indices` lie the coordinates of
    one slice start (a single coordinate each, when that is the rank of
    `start_indices`). For every such start the box of size `slice_sizes` is read
    from the operand, moved inside where it would leave it, and put into the
    result: its dimensions become `offset_dims`, without those collapsed or
    batched over, and the dimensions of `start_indices` the others, in order.

    Constraints, with the names of `#stablehlo.gather`:
    - `slice_sizes` has one entry per operand dimension, none negative or above
      the dimension's size, and at most 1 in collapsed and batching dimensions;
    - `index_vector_dim` is at most the rank of `start_indices`;
    - `start_index_map` has one entry per coordinate of a start;
    - `collapsed_slice_dims`, `operand_batching_dims` and `start_index_map` are
      operand dimensions; the first two are ascending and share none, and
      `start_index_map` and `operand_batching_dims` share none;
    - `start_indices_batching_dims` are dimensions of `start_indices` other than
      `index_vector_dim`, as many as `operand_batching_dims` and of equal sizes;
    - `offset_dims` are ascending result dimensions, one per operand dimension
      that is neither collapsed nor batched over;
    - the result has the operand's element type and the shape so described.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_IntTensor:$start_indices,
    StableHLO_GatherDimensionNumbersAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let example = [{
    func.func @gather(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>)
        -> tensor<5x8xf32> {
      %r = "stablehlo.gather"(%x, %i) <{
        dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>,
        indices_are_sorted = false,
        slice_sizes = array<i64: 1, 8>
      }> : (tensor<100x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
      return %r : tensor<5x8xf32>
    }
  }];
}

def StableHLO_ScatterOp : StableHLO_Op<"scatter",
    [OpKindOf<"Indexed">, SameVariadicOperandSize, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Combine windows at positions that a tensor lists with updates";
  let semantics = [{
    Along dimension `index_vector_dim` of `scatter_indices` lie the coordinates
    of one window start (a single coordinate each, when that is the rank of
    `scatter_indices`). For every such start the elements of the window in the
    inputs are replaced by the body's results for them, its first arguments, one
    per input, and for the elements of the updates, the rest. A window that is
    partly out of bounds is skipped as a whole. Windows that overlap are combined
    sequentially, in the order in which the updates enumerate them.

    Constraints, with the names of `#stablehlo.scatter`:
    - there is at least one input, and as many updates and results;
    - all inputs have the same shape, and so have all updates;
    - `index_vector_dim` is at most the rank of `scatter_indices`;
    - `scatter_dims_to_operand_dims` has one entry per coordinate of a start;
    - `inserted_window_dims`, `input_batching_dims` and
      `scatter_dims_to_operand_dims` are input dimensions; the first two are
      ascending and share none, and the last two share none;
    - `scatter_indices_batching_dims` are dimensions of `scatter_indices` other
      than `index_vector_dim`, as many as `input_batching_dims` and of equal sizes;
    - `update_window_dims` are ascending dimensions of the updates, one per input
      dimension that is neither inserted nor batched over, and none larger than
      that; the updates' other dimensions are those of `scatter_indices`, in
      order, without `index_vector_dim`;
    - for input i, two of the body's arguments and one value it returns have one
      type: rank 0, of the element type of result i; the element types of input
      and update are that one or a narrower one of its kind;
    - every result has the shape of the inputs.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    StableHLO_IntTensor:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates,
    StableHLO_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of a window, one per dimension of the inputs.
    ::llvm::SmallVector<int64_t> getWindowSizes();
  }];
  let example = [{
    func.func @scatter(%x: tensor<100x8xf32>, %i: tensor<5x1xi32>, %u: tensor<5x8xf32>)
        -> tensor<100x8xf32> {
      %r = "stablehlo.scatter"(%x, %i, %u) <{
        scatter_dimension_numbers = #stablehlo.scatter<
          update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
      }> ({
      ^bb0(%old: tensor<f32>, %new: tensor<f32>):
        %s = stablehlo.add %old, %new : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<100x8xf32>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<100x8xf32>
      return %r : tensor<100x8xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD
