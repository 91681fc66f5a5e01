// The kind of tensor operations, as an op interface and a trait that implements it.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_OPKIND_TD
#define SYSTOLE_DIALECTS_STABLEHLO_OPKIND_TD

include "mlir/IR/OpBase.td"

def TensorOpInterface : OpInterface<"TensorOpInterface"> {
  let cppNamespace = "::systole";
  let description = [{
    Operations on tensors that layout, fusion and tiling know, by their kind (`OpKind.h`). Those
    that have become other operations before do not implement it.
  }];
  let methods = [StaticInterfaceMethod<"The kind of the operation", "::systole::OpKind",
                                       "getOpKind">];
}

// Implements `TensorOpInterface`: OpKindOf<"Reduce"> is for operations of kind `OpKind::Reduce`.
class OpKindOf<string kind> : ParamNativeOpTrait<"HasOpKind", "::systole::OpKind::" # kind> {
  let cppNamespace = "::systole";
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_OPKIND_TD
