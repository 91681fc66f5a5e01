// The operation of the StableHLO dialect that orders elements.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_SORTING_TD
#define SYSTOLE_DIALECTS_STABLEHLO_SORTING_TD

include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_SortOp : StableHLO_Op<"sort",
    [StableHLO_PairwiseSameType, StableHLO_SameShape, RecursiveMemoryEffects,
     RecursivelySpeculatable, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Sort along one dimension";
  let semantics = [{
    Orders the tuples of elements that the inputs have along `dimension` (counted
    from the last when negative) so that `comparator` is true of no tuple and one
    before it. It takes for each input an element of the one tuple and one of the
    other. With `is_stable`, two tuples of which it is true in neither order stay in
    the order that they had.

    Constraints:
    - there is at least one input; all inputs have the same shape;
    - input i and result i have the same type;
    - `dimension` is a dimension of the inputs;
    - arguments 2i and 2i + 1 of `comparator` have rank 0 and input i's element type;
    - `comparator` returns one `tensor<i1>`.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension that is sorted, counted from the first.
    int64_t getSortedDimension();
  }];
  let example = [{
    func.func @sort(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>)
        -> (tensor<4x8xf32>, tensor<4x8xi32>) {
      %r:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
        %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
      return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xi32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_SORTING_TD
