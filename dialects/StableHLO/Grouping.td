// The operations of the StableHLO dialect on several values as one: tuples, and futures of values
// that are computed asynchronously.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_GROUPING_TD
#define SYSTOLE_DIALECTS_STABLEHLO_GROUPING_TD

include "dialects/StableHLO/StableHLOBase.td"

defvar TupleOfValues = NestedTupleOf<[StableHLO_AnyTensor, StableHLO_Token]>;

def StableHLO_TupleOp : StableHLO_Op<"tuple", [Pure]> {
  let summary = "Values as one tuple";
  let semantics = [{
    A tuple of the operands.

    Constraint: the result is a tuple of their types.
  }];
  let arguments = (ins Variadic<StableHLO_CustomCallValue>:$values);
  let results = (outs TupleOfValues:$result);
  let assemblyFormat = "$values attr-dict `:` custom<TupleType>(type($values), type($result))";
  let hasVerifier = 1;
  let example = [{
    func.func @tuple(%x: tensor<4xf32>, %y: tensor<i32>) -> tuple<tensor<4xf32>, tensor<i32>> {
      %r = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<i32>>
      return %r : tuple<tensor<4xf32>, tensor<i32>>
    }
  }];
}

def StableHLO_GetTupleElementOp : StableHLO_InferredOp<"get_tuple_element", [Pure]> {
  let summary = "An element of a tuple";
  let semantics = [{
    Element number `index`.

    Constraint: the tuple has such an element, of the result's type.
  }];
  let arguments = (ins TupleOfValues:$operand, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs StableHLO_CustomCallValue:$result);
  let assemblyFormat = [{
    $operand `[` $index `]` attr-dict `:` functional-type(operands, results)
  }];
  let example = [{
    func.func @get_tuple_element(%t: tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32> {
      %r = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
      return %r : tensor<i32>
    }
  }];
}

def StableHLO_AsyncStartOp
    : StableHLO_Op<"async_start", [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Begin an asynchronous computation";
  let semantics = [{
    Begins to compute the body of the operands; `async_done` waits for its results.

    Constraints:
    - the body takes arguments of the operands' types;
    - the result is a future of the types that it returns.
  }];
  let arguments = (ins Variadic<StableHLO_TensorOrToken>:$inputs);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHLO_Future:$result);
  let hasRegionVerifier = 1;
  let example = [{
    func.func @async_start(%x: tensor<4xf32>) -> tensor<4xf32> {
      %f = "stablehlo.async_start"(%x) ({
      ^bb0(%a: tensor<4xf32>):
        %b = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %b : tensor<4xf32>
      }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
      %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_AsyncDoneOp : StableHLO_Op<"async_done"> {
  let summary = "Wait for an asynchronous computation";
  let semantics = [{
    The values of a future, once they are there.

    Constraint: the results have the types of the future.
  }];
  let arguments = (ins StableHLO_Future:$future);
  let results = (outs Variadic<StableHLO_TensorOrToken>:$results);
  let hasVerifier = 1;
  let example = [{
    func.func @async_done(%f: !stablehlo.future<tensor<4xf32>>) -> tensor<4xf32> {
      %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_GROUPING_TD
