// The operations of the CHLO dialect that order elements.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_ORDERING_TD
#define SYSTOLE_DIALECTS_CHLO_ORDERING_TD

include "dialects/CHLO/CHLOBase.td"

def CHLO_TopKOp : CHLO_Op<"top_k"> {
  let summary = "The largest elements along the last dimension";
  let semantics = [{
    Along the last dimension the `k` largest elements, descending, and their places; of
    equal ones the first comes first. Floats have the total order of their bit patterns.

    Constraints:
    - the operand has a dimension, and the last one has `k` elements or more, `k` not
      being negative;
    - both results have the operand's shape but for `k` elements in the last dimension,
      `values` its element type and `indices` `i32`.
  }];
  let arguments = (ins
    RankedTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>:$operand,
    I64Attr:$k);
  let results = (outs
    RankedTensorOf<[StableHLO_Pred, StableHLO_Int, StableHLO_Float]>:$values,
    RankedTensorOf<[I32]>:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->`
    `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @top_k(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
      %v, %i = chlo.top_k(%x, k = 2)
          : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
      return %v, %i : tensor<4x2xf32>, tensor<4x2xi32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_ORDERING_TD
