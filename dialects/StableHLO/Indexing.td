// The operations of the StableHLO dialect that read and write at positions
// computed while the program runs.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD
#define SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_DynamicSliceOp : StableHLO_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "Cut a box of fixed size out at a computed position";
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
    : StableHLO_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "Replace a box at a computed position";
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

def StableHLO_GatherOp : StableHLO_InferredOp<"gather", [Pure]> {
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

#endif // SYSTOLE_DIALECTS_STABLEHLO_INDEXING_TD
