//===- Reductions.td - Reductions of vectors ---------------*- tablegen -*-===//
//
// Reductions that `vector.multi_reduction` does not have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_REDUCTIONS_TD
#define SYSTOLE_DIALECTS_MOSAIC_REDUCTIONS_TD

def Mosaic_AllReduceOp : Mosaic_Op<"all_reduce", [Pure]> {
  let summary = "reduce along a dimension, with the result at each of its positions";
  let description = [{
    `sum`, `max` and `min` have the input's element type; `arg_max`, `arg_min` and `find_first_set` are
    positions, of type i32.
  }];
  let arguments = (ins Mosaic_Vector:$input, I64Attr:$dim, Mosaic_ReductionKindAttr:$kind);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_ReduceIndexOp : Mosaic_Op<"reduce_index", [Pure]> {
  let summary = "the position of the largest or smallest element along a dimension";
  let description = [{
    `kind` is `arg_max` or `arg_min`. The first of equal elements counts.
  }];
  let arguments = (ins Mosaic_Vector:$input, I32Attr:$axis, Mosaic_ReductionKindAttr:$kind);
  let results = (outs VectorOfNonZeroRankOf<[I32]>:$output);
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_MOSAIC_REDUCTIONS_TD
