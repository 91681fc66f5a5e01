// The operations of the StableHLO dialect that create tensors without operands.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_CREATION_TD
#define SYSTOLE_DIALECTS_STABLEHLO_CREATION_TD

include "dialects/StableHLO/StableHLOBase.td"

def StableHLO_ConstantOp : StableHLO_Op<"constant",
    [ConstantLike, Pure, OpKindOf<"Constant">, InferTypeOpAdaptor,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor whose elements are written in the program";
  let semantics = [{
    Yields the elements of its attribute.

    Constraint: the result has the attribute's type, with a static shape. The attribute of a
    quantized result has the integers that store it.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_StaticTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let example = [{
    func.func @constant() -> tensor<2x2xf32> {
      %r = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    }
    func.func @quantized() -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
      %r = stablehlo.constant() <{value = dense<[3, 5]> : tensor<2xi8>}>
        : () -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
      return %r : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    }
  }];
}

def StableHLO_IotaOp : StableHLO_Op<"iota", [Pure, OpKindOf<"Generator">]> {
  let summary = "Numbers that count along one dimension";
  let semantics = [{
    Every element is its own index in dimension `iota_dimension`, converted to
    the element type.

    Constraint: `iota_dimension` is a dimension of the result.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$iota_dimension);
  let results = (outs StableHLO_StaticNumberTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
  let example = [{
    func.func @iota() -> tensor<2x3xi32> {
      %r = stablehlo.iota dim = 1 : tensor<2x3xi32>
      return %r : tensor<2x3xi32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_CREATION_TD
