// The operations of the StableHLO dialect that rearrange elements by positions
// known at compile time.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_DATAMOVEMENT_TD
#define SYSTOLE_DIALECTS_STABLEHLO_DATAMOVEMENT_TD

include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim",
    [StableHLO_SameElementType, Pure, OpKindOf<"Broadcast">]> {
  let summary = "Repeat a tensor along new or unit dimensions";
  let semantics = [{
    Operand dimension i becomes result dimension `broadcast_dimensions[i]`; along
    all others, and along operand dimensions of size 1, elements repeat.

    Constraints:
    - operand and result have the same element type;
    - `broadcast_dimensions` has one entry per operand dimension, each a
      dimension of the result and none twice;
    - an operand dimension has size 1 or the size of its result dimension.
  }];
  let arguments = (ins
    StableHLO_PerAxisTensor:$operand,
    DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_BoundedTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @broadcast_in_dim(%x: tensor<3xf32>) -> tensor<2x3xf32> {
      %r = stablehlo.broadcast_in_dim %x, dims = [1]
          : (tensor<3xf32>) -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    }
  }];
}

def StableHLO_ReshapeOp : StableHLO_Op<"reshape",
    [StableHLO_SameElementType, Pure, OpKindOf<"Reshape">]> {
  let summary = "Give a tensor another shape";
  let semantics = [{
    The same elements in the same row-major order under another shape.

    Constraints:
    - operand and result have the same element type;
    - they have the same number of elements.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$operand);
  let results = (outs StableHLO_BoundedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let example = [{
    func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
      %r = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
      return %r : tensor<3x4xf32>
    }
  }];
}

def StableHLO_TransposeOp : StableHLO_InferredOp<"transpose",
    [Pure, OpKindOf<"Movement">]> {
  let summary = "Permute the dimensions of a tensor";
  let semantics = [{
    Result dimension i is operand dimension `permutation[i]`.

    Constraints:
    - `permutation` names every operand dimension once;
    - the result has the operand's element type and its permuted shape.
  }];
  let arguments = (ins
    StableHLO_PerAxisTensor:$operand,
    DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $permutation attr-dict `:`
    functional-type(operands, results)
  }];
  let example = [{
    func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
      %r = stablehlo.transpose %x, dims = [2, 0, 1]
          : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
      return %r : tensor<4x2x3xf32>
    }
  }];
}

def StableHLO_ReverseOp : StableHLO_InferredOp<"reverse",
    [Pure, OpKindOf<"Movement">]> {
  let summary = "Reverse the order along some dimensions";
  let semantics = [{
    Every listed dimension runs backwards in the result.

    Constraints:
    - `dimensions` are dimensions of the operand, none twice;
    - operand and result have the same type.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let example = [{
    func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %r = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    }
  }];
}

def StableHLO_SliceOp : StableHLO_InferredOp<"slice",
    [Pure, OpKindOf<"Movement">]> {
  let summary = "Extract a box of a tensor, with strides";
  let semantics = [{
    In every dimension the elements `start_indices`, then every `strides`-th
    further one, below `limit_indices`. Written `[start:limit:stride]`.

    Constraints:
    - each of the three arrays has one entry per operand dimension;
    - 0 <= start <= limit <= size of the dimension, and stride > 0;
    - the result has the operand's element type and
      ceil((limit - start) / stride) elements in every dimension.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    DenseI64ArrayAttr:$start_indices,
    DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides)
    attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    func.func @slice(%x: tensor<4x8xf32>) -> tensor<2x4xf32> {
      %r = stablehlo.slice %x [1:3, 0:8:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }
  }];
}

def StableHLO_PadOp : StableHLO_InferredOp<"pad",
    [Pure, OpKindOf<"Movement">]> {
  let summary = "Insert padding around and between elements";
  let semantics = [{
    In every dimension `edge_padding_low` copies of the padding value come before
    the first element, `edge_padding_high` behind the last and `interior_padding`
    between neighbours. A negative edge cuts elements off instead.

    Constraints:
    - `padding_value` has the operand's element type;
    - each of the three arrays has one entry per operand dimension;
    - `interior_padding` is not negative;
    - the result has the operand's element type and, in every dimension,
      low + size + max(size - 1, 0) * interior + high elements, not below 0.
  }];
  let arguments = (ins
    StableHLO_Tensor:$operand,
    StableHLO_Scalar:$padding_value,
    DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high,
    DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,`
    `low` `=` $edge_padding_low `,`
    `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding
    attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    func.func @pad(%x: tensor<2x3xf32>, %zero: tensor<f32>) -> tensor<4x7xf32> {
      %r = stablehlo.pad %x, %zero, low = [1, 1], high = [1, 1], interior = [0, 1]
          : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x7xf32>
      return %r : tensor<4x7xf32>
    }
  }];
}

def StableHLO_ConcatenateOp : StableHLO_InferredOp<"concatenate",
    [Pure, OpKindOf<"Movement">]> {
  let summary = "Join tensors along one dimension";
  let semantics = [{
    The inputs one behind the other along `dimension`.

    Constraints:
    - there is at least one input;
    - all inputs have the same element type, the same rank, and the same sizes
      but in `dimension`, which is one of their dimensions;
    - the result has that element type and shape, its size in `dimension` being
      the sum of the inputs' sizes.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<OperandsThenComma>($inputs) `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
  let example = [{
    func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>)
        -> tensor<2x4xf32> {
      %r = stablehlo.concatenate %x, %y, dim = 1
          : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
      return %r : tensor<2x4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_DATAMOVEMENT_TD
