// The operations of the StableHLO dialect that newer ones supersede.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_SUPERSEDED_TD
#define SYSTOLE_DIALECTS_STABLEHLO_SUPERSEDED_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_DotOp : StableHLO_Op<"dot", [Pure]> {
  let summary = "Product of two matrices or vectors";
  let semantics = [{
    Sums products over the left operand's last dimension and the right one's first. `dot_general`
    supersedes it.

    Constraints:
    - the operands have one or two dimensions;
    - the summed dimensions have the same size;
    - `precision_config` has at most two entries;
    - the result has the left operand's other dimension, then the right one's.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$lhs, StableHLO_PerAxisTensor:$rhs,
                       OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precisions>($precision_config) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @dot(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<4x5xf32> {
      %r = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT]
          : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
      return %r : tensor<4x5xf32>
    }
  }];
}

def StableHLO_EinsumOp : StableHLO_Op<"einsum", [Pure]> {
  let summary = "Sums of products of two tensors in Einstein's notation";
  let semantics = [{
    `einsum_config` is `X,Y->Z`, each a letter for each dimension of the left operand, the right one
    and the result. `...` stands for the dimensions without a letter. Products are summed over the
    letters that the result does not have. `dot_general` supersedes it.

    Constraints:
    - there are as many letters as dimensions;
    - dimensions with one letter have one size;
    - the result's letters occur once in it, and in an operand.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @einsum(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<5x4xf32> {
      %r = stablehlo.einsum %x, %y, config = "ab,bc->ca"
          : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<5x4xf32>
      return %r : tensor<5x4xf32>
    }
  }];
}

def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum", [Pure]> {
  let summary = "Sums and diagonals of a tensor in Einstein's notation";
  let semantics = [{
    `einsum_config` is `X->Z` as in `einsum`. Elements are summed over the letters that the result
    does not have; a letter that occurs twice selects the diagonal.

    Constraints: those of `einsum`.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @unary_einsum(%x: tensor<4x8xf32>) -> tensor<8xf32> {
      %r = stablehlo.unary_einsum %x, config = "ab->b" : (tensor<4x8xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }];
}

def StableHLO_BroadcastOp : StableHLO_InferredOp<"broadcast", [Pure]> {
  let summary = "Repeat a tensor along new leading dimensions";
  let semantics = [{
    The operand for every index of new dimensions of `broadcast_sizes`, in front of its own.
    `broadcast_in_dim` supersedes it.

    Constraints:
    - no size is negative;
    - the result has the operand's element type and the dimensions so described.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    func.func @broadcast(%x: tensor<4xf32>) -> tensor<2x3x4xf32> {
      %r = stablehlo.broadcast %x, sizes = [2, 3] : (tensor<4xf32>) -> tensor<2x3x4xf32>
      return %r : tensor<2x3x4xf32>
    }
  }];
}

def StableHLO_TorchIndexSelectOp : StableHLO_InferredOp<"torch_index_select", [Pure]> {
  let summary = "Select elements along one dimension by indices";
  let semantics = [{
    Along dimension `dim` the operand's elements at `index`, whose dimensions take the place of `dim`.
    The first `batch_dims` dimensions of both advance together. An index out of range is moved to the
    nearest that is not. `gather` supersedes it.

    Constraints:
    - `dim` is a dimension of the operand, counted from the end if negative;
    - `batch_dims`, counted from the index's rank if negative, is at most `dim` and the index's rank,
      and dimensions below it have the same size in both;
    - the result has the operand's element type and the dimensions so described.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$index, I64Attr:$dim,
                       I64Attr:$batch_dims);
  let results = (outs StableHLO_Tensor:$result);
  let extraClassDeclaration = StableHLO_LeaveTypesToTrait # [{
    /// The attributes, counted from the first dimension.
    int64_t firstIndexDim();
    int64_t batchRank();
  }];
  let example = [{
    func.func @torch_index_select(%x: tensor<4x8xf32>, %i: tensor<3xi32>) -> tensor<4x3xf32> {
      %r = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 0 : i64}>
          : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x3xf32>
      return %r : tensor<4x3xf32>
    }
  }];
}

def StableHLO_CrossReplicaSumOp : StableHLO_Op<"cross-replica-sum", [StableHLO_SameType]> {
  let summary = "Add the arrays of a group's devices";
  let semantics = [{
    The sum of the operands of all devices of the group. `all_reduce` supersedes it.

    Constraints:
    - `replica_groups` has two dimensions;
    - operand and result have the same type.
  }];
  let arguments = (ins StableHLO_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @cross_replica_sum(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let summary = "Random numbers of a generator that is not part of the program";
  let semantics = [{
    Numbers of shape `shape`: with `UNIFORM` those from `a` up to, but without, `b`, all equally
    likely; with `NORMAL` those of the normal distribution of mean `a` and standard deviation `b`.
    `rng_bit_generator` supersedes it.

    Constraints:
    - `a`, `b` and the result have the same element type, a float if the distribution is `NORMAL`;
    - `shape` has an element for each dimension of the result.
  }];
  let arguments = (ins
    0DTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>:$a,
    0DTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>:$b,
    1DTensorOf<[StableHLO_Int, Index]>:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs RankedTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` custom<Enum>($rng_distribution) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @rng(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2x3xf32> {
      %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
      %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM
          : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
      return %r : tensor<2x3xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_SUPERSEDED_TD
