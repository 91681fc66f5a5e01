// The operations of the StableHLO dialect that compare elements and choose
// between them.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_SELECTION_TD
#define SYSTOLE_DIALECTS_STABLEHLO_SELECTION_TD

include "dialects/StableHLO/Attributes.td"

def StableHLO_CompareOp
    : StableHLO_InferredOp<"compare",
                            [Elementwise, Pure, OpKindOf<"Elementwise">]> {
  let summary = "Compare two tensors element by element";
  let semantics = [{
    True where the relation `comparison_direction` holds between the left and
    the right element. `compare_type` names the order: IEEE comparison of
    floats (every relation with a NaN is false but `NE`), the total order of
    their bit patterns, or signed or unsigned integers; without it, the element
    type decides. Complex numbers can only be equal or not.

    Constraints:
    - both operands have the same type;
    - the result has their shape and element type `i1`;
    - `compare_type` fits the element type: `SIGNED` for `i2` to `i64`, `UNSIGNED`
      for `i1` and unsigned integers, `FLOAT` for floats and complex numbers,
      `TOTALORDER` for all but complex numbers, `NOTYPE` for all;
    - complex numbers are compared with `EQ` or `NE`.
  }];
  let arguments = (ins
    StableHLO_Tensor:$lhs,
    StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction,
    OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    custom<Enum>($comparison_direction) `,` $lhs `,` $rhs
    (`,` custom<Enum>($compare_type)^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @compare(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
      %r = stablehlo.compare LT, %x, %y, FLOAT
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      return %r : tensor<4xi1>
    }
  }];
}

def StableHLO_SelectOp : StableHLO_InferredOp<"select",
    [Pure, OpKindOf<"Elementwise">]> {
  let summary = "Choose between two tensors element by element";
  let semantics = [{
    The element of `on_true` where `pred` holds, else that of `on_false`. A
    predicate of rank 0 chooses one of the two tensors whole.

    Constraints:
    - `on_true`, `on_false` and the result have the same type;
    - `pred` has their shape or rank 0.
  }];
  let arguments = (ins
    StableHLO_PredTensor:$pred,
    StableHLO_Tensor:$on_true,
    StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    custom<SelectType>(type($pred), type($on_true), type($on_false),
                       type($result))
  }];
  let example = [{
    func.func @select(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>)
        -> tensor<4xf32> {
      %r = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_ClampOp
    : StableHLO_InferredOp<"clamp",
                            [StableHLO_SameElementType, Pure, OpKindOf<"Elementwise">]> {
  let summary = "Confine each element to an interval";
  let semantics = [{
    The smaller of `max` and of the larger of `min` and `operand`, so `max` wins
    where the bounds cross. A bound of rank 0 holds for all elements.

    Constraints:
    - all operands and the result have the same element type;
    - `operand` and the result have the same shape;
    - each of `min` and `max` has that shape or rank 0.
  }];
  let arguments = (ins
    StableHLO_Tensor:$min,
    StableHLO_Tensor:$operand,
    StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<SameOperandsAndResultType>(type($min), type($operand), type($max),
                                      type($result))
  }];
  let example = [{
    func.func @clamp(%lo: tensor<f32>, %x: tensor<4xf32>, %hi: tensor<f32>)
        -> tensor<4xf32> {
      %r = stablehlo.clamp %lo, %x, %hi
          : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_SELECTION_TD
