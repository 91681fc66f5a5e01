// The operations of the StableHLO dialect that combine many elements by a
// function given as a region.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_REDUCTION_TD
#define SYSTOLE_DIALECTS_STABLEHLO_REDUCTION_TD

include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_ReduceOp : StableHLO_Op<"reduce",
    [OpKindOf<"Reduce">, SameVariadicOperandSize, RecursiveMemoryEffects, RecursivelySpeculatable,
     SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "Combine all elements along some dimensions";
  let semantics = [{
    For every position in the kept dimensions the elements along `dimensions`
    and the initial value are combined by the body, in an order that is not
    specified. With several inputs the body combines a tuple of elements at
    once: its first arguments, one per input, are one operand and the rest the
    other. When the body is a single commutative operation of this dialect on
    both arguments, it is written `applies`.

    Constraints:
    - there is at least one input, and as many initial values and results;
    - all inputs have the same shape;
    - `dimensions` are dimensions of the inputs, none twice;
    - for input i, two of the body's arguments and one value it returns have one
      type: rank 0, of the element type of result i; the element types of input
      and initial value are that one or a narrower one of its kind;
    - every result has the shape of the inputs without `dimensions`.
  }];
  let arguments = (ins
    Variadic<StableHLO_Tensor>:$inputs,
    Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The one operation the body applies to both its arguments, in order, or
    /// null when the body is anything else.
    ::mlir::Operation *getSimpleBody();
  }];
  let example = [{
    func.func @reduce(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %zero: tensor<f32>,
                      %none: tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>) {
      %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add
          across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
      %r:2 = stablehlo.reduce(%x init: %zero), (%y init: %none)
          across dimensions = [1]
          : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<4xf32>, tensor<4xi32>)
       reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
        %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
        %k = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %k : tensor<f32>, tensor<i32>
      }
      return %sum, %r#1 : tensor<4xf32>, tensor<4xi32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_REDUCTION_TD
