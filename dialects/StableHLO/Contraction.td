// The operations of the StableHLO dialect that sum products.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_CONTRACTION_TD
#define SYSTOLE_DIALECTS_STABLEHLO_CONTRACTION_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general", [Pure, OpKindOf<"Dot">]> {
  let summary = "Matrix product over any dimensions";
  let semantics = [{
    Sums products over the paired contracting dimensions, for every position in
    the paired batching dimensions and in the free ones, which are the rest. The
    result's dimensions are the batching ones, then the free ones of the left,
    then those of the right operand. `precision_config` says how much precision
    may be given up; `algorithm` fixes the arithmetic instead.

    Constraints:
    - both lists of batching dimensions have the same length, and so have both
      lists of contracting dimensions;
    - a dimension occurs once in the lists of its operand and exists there;
    - paired dimensions have the same size;
    - `precision_config` has at most two entries, and with `algorithm` only
      `DEFAULT` ones;
    - the result has the shape described above.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_PerAxisTensor:$rhs,
    StableHLO_DotDimensionNumbersAttr:$dot_dimension_numbers,
    OptionalAttr<StableHLO_PrecisionConfigAttr>:$precision_config,
    OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The paired dimensions of one operand.
    ::llvm::ArrayRef<int64_t> getLhsBatchingDims();
    ::llvm::ArrayRef<int64_t> getRhsBatchingDims();
    ::llvm::ArrayRef<int64_t> getLhsContractingDims();
    ::llvm::ArrayRef<int64_t> getRhsContractingDims();
    /// The dimensions that are neither batching nor contracting, ascending.
    ::llvm::SmallVector<int64_t> getLhsFreeDims();
    ::llvm::SmallVector<int64_t> getRhsFreeDims();
    /// The precision of operand 0 or 1, DEFAULT if there is none.
    ::systole::stablehlo::Precision getOperandPrecision(unsigned operand);
  }];
  let example = [{
    func.func @dot_general(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>)
        -> tensor<2x8x4xf32> {
      %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0],
          contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST]
          : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
      return %r : tensor<2x8x4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_CONTRACTION_TD
