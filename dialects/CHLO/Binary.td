// The operations of the CHLO dialect that combine two tensors of one type.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_BINARY_TD
#define SYSTOLE_DIALECTS_CHLO_BINARY_TD

include "dialects/CHLO/CHLOBase.td"

// `sample` is the element type in the example.
class CHLO_BinaryOp<string mnemonic, Type type, string sample>
    : CHLO_Op<mnemonic, [StableHLO_SameType, Elementwise]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let example = "\n    func.func @" # mnemonic # "(%x: tensor<4x" # sample #
                ">, %y: tensor<4x" # sample # ">) -> tensor<4x" # sample #
                "> {\n      %r = chlo." # mnemonic # " %x, %y : tensor<4x" # sample #
                ">, tensor<4x" # sample # "> -> tensor<4x" # sample #
                ">\n      return %r : tensor<4x" # sample # ">\n    }\n  ";
}

def CHLO_MulhiOp : CHLO_BinaryOp<"mulhi", StableHLO_IntTensor, "i32"> {
  let summary = "High half of each product";
  let semantics = [{
    The upper n bits of the product of two n-bit integers, signed or unsigned as their type
    is.

    Constraint: operands and result have the same type.
  }];
}

def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after", StableHLO_FloatTensor, "f32"> {
  let summary = "Next number towards another";
  let semantics = [{
    The number beside each left element in the direction of the right one; the right element
    itself where both are equal, NaN where one is.

    Constraint: operands and result have the same type.
  }];
}

def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma", StableHLO_FloatTensor, "f32"> {
  let summary = "Derivatives of the digamma function";
  let semantics = [{
    The derivative of order `lhs` of the digamma function at `rhs`; NaN for orders that are no
    natural numbers.

    Constraint: operands and result have the same type.
  }];
}

def CHLO_ZetaOp : CHLO_BinaryOp<"zeta", StableHLO_FloatTensor, "f32"> {
  let summary = "Hurwitz zeta function";
  let semantics = [{
    The sum of (rhs + k)^-lhs over all natural numbers k and zero.

    Constraint: operands and result have the same type.
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_BINARY_TD
