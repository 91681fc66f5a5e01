// The operations of the CHLO dialect that create constant tensors.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_CREATION_TD
#define SYSTOLE_DIALECTS_CHLO_CREATION_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "dialects/CHLO/CHLOBase.td"

def CHLO_ConstantLikeOp : CHLO_Op<"constant_like", [StableHLO_SameShape]> {
  let summary = "One number in the shape of another tensor";
  let semantics = [{
    A tensor of the operand's shape, all of whose elements are `value`.

    Constraints:
    - operand and result have the same shape;
    - the result has the element type of `value`.
  }];
  let arguments = (ins TypedAttrInterface:$value, StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
  let example = [{
    func.func @constant_like(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def CHLO_ConstantOp : CHLO_Op<"constant"> {
  let summary = "A tensor whose elements are written in the program";
  let semantics = [{
    Yields the elements of its attribute.

    Constraint: the result has the attribute's type.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let example = [{
    func.func @constant() -> tensor<2xf32> {
      %r = chlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      return %r : tensor<2xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_CREATION_TD
