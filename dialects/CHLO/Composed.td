// The operations of the CHLO dialect that compose loops and contractions.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_COMPOSED_TD
#define SYSTOLE_DIALECTS_CHLO_COMPOSED_TD

include "dialects/CHLO/CHLOBase.td"

def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot"> {
  let summary = "Products of groups of rows with matrices of their own";
  let semantics = [{
    A `dot_general` in which one dimension of the left operand, the ragged one, is divided into groups
    of `group_sizes` elements, one after the other. If it is

    - a free dimension, each group is multiplied by its own part of the right operand, whose
      dimension `rhs_group_dimensions` counts the groups; elements of no group give zero;
    - a contracting dimension, the result has a product for each group in front, the sum over its
      elements;
    - a batching dimension, the groups make no difference.

    Constraints, with the names of `#chlo.ragged_dot`:
    - those of `dot_general` for batching and contracting dimensions;
    - there is one ragged dimension, and one group dimension, neither batching nor contracting, if
      that is a free one, else none;
    - `group_sizes` has the groups in its last dimension, as many as the group dimension; in front
      there are none or those of the left operand's batching dimensions and those of the ragged
      dimension's kind, as far as they come before it;
    - `precision_config` has at most two entries;
    - the result has the shape described above.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_IntTensor:$group_sizes,
    CHLO_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers,
    OptionalAttr<CHLO_PrecisionConfigAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The role of the ragged dimension in the product.
    enum class Mode { Free, Contracting, Batching };
    Mode getMode();
    int64_t getRaggedDim();
    /// The dimensions of the left operand that `group_sizes` of rank above 1 has in front.
    ::llvm::SmallVector<int64_t> getPrefixDims();
    /// The dimensions that are neither batching, contracting nor of groups, ascending.
    ::llvm::SmallVector<int64_t> getLhsFreeDims();
    ::llvm::SmallVector<int64_t> getRhsFreeDims();
  }];
  let example = [{
    func.func @ragged_dot(%x: tensor<8x4xf32>, %y: tensor<3x4x5xf32>, %sizes: tensor<3xi32>)
        -> tensor<8x5xf32> {
      %r = "chlo.ragged_dot"(%x, %y, %sizes) <{
        ragged_dot_dimension_numbers = #chlo.ragged_dot<
          lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
          lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
      }> : (tensor<8x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<8x5xf32>
      return %r : tensor<8x5xf32>
    }
  }];
}

def CHLO_ScanOp : Op<CHLO_Dialect, "scan",
    [AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects, SingleBlock,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Apply a function along a dimension, with values that it carries on";
  defvar semantics = [{
    For each index along `dimension`, from the last one if `is_reverse`, the body takes the inputs'
    elements at that index, without the dimension, and the carried values, which begin as `inits`. It
    returns the outputs' elements at that index, and the next carried values, the last of which are
    results. `is_associative` says that the body may be applied in another order; it is applied in
    this one.

    Constraints:
    - `dimension` is a dimension of all inputs and outputs, of one size, which is `scan_dim_size` if
      that is given; without inputs it must be;
    - there is an input or an output;
    - the body takes and returns values of the types so described.
  }];
  defvar sample = [{
    func.func @scan(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
      %y, %last = chlo.scan(%x) inits (%s) dimension=0 {
      ^bb0(%a: tensor<8xf32>, %c: tensor<8xf32>):
        %r = stablehlo.add %a, %c : tensor<8xf32>
        stablehlo.return %r, %r : tensor<8xf32>, tensor<8xf32>
      } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
      return %y, %last : tensor<4x8xf32>, tensor<8xf32>
    }
  }];
  let description = semantics # "\n    Example:\n\n    ```mlir" # sample # "  ```\n";
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$inits,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
    OptionalAttr<I64Attr>:$scan_dim_size,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
    OptionalAttr<BoolAttr>:$is_associative);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<StableHLO_Tensor>:$outputs, Variadic<StableHLO_Tensor>:$carries);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of times that the body is applied; dynamic if no type tells.
    int64_t getLength();
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_COMPOSED_TD
