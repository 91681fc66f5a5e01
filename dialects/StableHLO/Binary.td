// The operations of the StableHLO dialect that combine two tensors element by
// element into one of the same type.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_BINARY_TD
#define SYSTOLE_DIALECTS_STABLEHLO_BINARY_TD

include "dialects/StableHLO/StableHLOBase.td"

// `sample` is the element type in the example.
class StableHLO_BinaryOp<string mnemonic, Type type, string sample = "f32",
                         list<Trait> traits = []>
    : StableHLO_Op<mnemonic, traits # [StableHLO_SameType, Elementwise, Pure,
                                       InferTypeOpInterface, OpKindOf<"Elementwise">]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let example = "\n    func.func @" # mnemonic # "(%x: tensor<4x" # sample #
                ">, %y: tensor<4x" # sample # ">) -> tensor<4x" # sample #
                "> {\n      %r = stablehlo." # mnemonic # " %x, %y : tensor<4x" #
                sample # ">\n      return %r : tensor<4x" # sample #
                ">\n    }\n  ";
  let extraClassDeclaration = StableHLO_LeaveTypesToTrait # [{
    /// The result has the operands' type.
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::systole::stablehlo::inferFirstOperandType(operands, types);
    }
  }];
}

class StableHLO_CommutativeOp<string mnemonic, Type type, string sample = "f32">
    : StableHLO_BinaryOp<mnemonic, type, sample, [StableHLO_Commutative]>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def StableHLO_AddOp : StableHLO_CommutativeOp<"add", StableHLO_PerAxisTensor> {
  let summary = "Sum of two tensors";
  let semantics = [{
    Adds element by element. Integers wrap, `i1` operands are or-ed.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_SubtractOp
    : StableHLO_BinaryOp<"subtract", StableHLO_NumberTensor> {
  let summary = "Difference of two tensors";
  let semantics = [{
    Subtracts the right element from the left one. Integers wrap.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_MulOp : StableHLO_CommutativeOp<"multiply", StableHLO_Tensor> {
  let summary = "Product of two tensors";
  let semantics = [{
    Multiplies element by element. Integers wrap, `i1` operands are and-ed.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_DivOp : StableHLO_BinaryOp<"divide", StableHLO_NumberTensor> {
  let summary = "Quotient of two tensors";
  let semantics = [{
    Divides the left element by the right one. Integer quotients lose their
    fraction; an integer divided by zero gives all ones (-1 when signed), and
    the most negative integer divided by -1 gives itself.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_RemOp : StableHLO_BinaryOp<"remainder", StableHLO_NumberTensor> {
  let summary = "Remainder of a division";
  let semantics = [{
    The remainder of the left element divided by the right one, with the
    quotient rounded towards zero, so it has the sign of the left element. An
    integer remainder modulo zero is the left element.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_MaxOp : StableHLO_CommutativeOp<"maximum", StableHLO_Tensor> {
  let summary = "Larger of two elements";
  let semantics = [{
    The larger element of each pair, a NaN if one of them is one. `i1` operands
    are or-ed; complex numbers compare by real part, then by imaginary part.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_MinOp : StableHLO_CommutativeOp<"minimum", StableHLO_Tensor> {
  let summary = "Smaller of two elements";
  let semantics = [{
    The smaller element of each pair, a NaN if one of them is one. `i1` operands
    are and-ed; complex numbers compare by real part, then by imaginary part.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_PowOp : StableHLO_BinaryOp<"power", StableHLO_NumberTensor> {
  let summary = "Power of two tensors";
  let semantics = [{
    Raises the left element to the power of the right one. Integers wrap, and
    to a negative power they give 1 or -1 where the base is such a unit, else 0.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_Atan2Op
    : StableHLO_BinaryOp<"atan2", StableHLO_FloatOrComplexTensor> {
  let summary = "Angle of the point (rhs, lhs)";
  let semantics = [{
    The arc tangent of left over right in radians, in the quadrant that the
    signs of both elements select.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_ComplexOp : StableHLO_InferredOp<"complex",
    [Elementwise, Pure, OpKindOf<"Elementwise">]> {
  let summary = "Complex numbers of their parts";
  let semantics = [{
    Complex numbers with the real parts `lhs` and the imaginary parts `rhs`.

    Constraints:
    - `lhs` and `rhs` have the same type;
    - the result has their shape, and their element type as that of its parts.
  }];
  let arguments = (ins StableHLO_RealPartTensor:$lhs, StableHLO_RealPartTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<ComplexType>(type($lhs), type($rhs), type($result))
  }];
  let example = [{
    func.func @complex(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
      %r = stablehlo.complex %x, %y : tensor<4xcomplex<f32>>
      return %r : tensor<4xcomplex<f32>>
    }
  }];
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

def StableHLO_AndOp
    : StableHLO_CommutativeOp<"and", StableHLO_PredOrIntTensor, "i1"> {
  let summary = "Conjunction of two tensors";
  let semantics = [{
    Logical conjunction of `i1` elements, bitwise of wider integers.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_OrOp
    : StableHLO_CommutativeOp<"or", StableHLO_PredOrIntTensor, "i1"> {
  let summary = "Disjunction of two tensors";
  let semantics = [{
    Logical disjunction of `i1` elements, bitwise of wider integers.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_XorOp
    : StableHLO_CommutativeOp<"xor", StableHLO_PredOrIntTensor, "i1"> {
  let summary = "Exclusive disjunction of two tensors";
  let semantics = [{
    Exclusive disjunction of `i1` elements, bitwise of wider integers.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_ShiftLeftOp
    : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor, "i32"> {
  let summary = "Shift bits to the left";
  let semantics = [{
    The left element moved up by as many bits as the right one says, filled
    with zeros. A count that is negative or not below the width gives zero.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_ShiftRightArithmeticOp
    : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntTensor, "i32"> {
  let summary = "Shift bits to the right, keeping the sign";
  let semantics = [{
    The left element moved down by as many bits as the right one says, filled
    with its top bit. A count that is negative or not below the width leaves
    only copies of the top bit.

    Constraint: operands and result have the same type.
  }];
}

def StableHLO_ShiftRightLogicalOp
    : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor, "i32"> {
  let summary = "Shift bits to the right, filling with zeros";
  let semantics = [{
    The left element moved down by as many bits as the right one says, filled
    with zeros. A count that is negative or not below the width gives zero.

    Constraint: operands and result have the same type.
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_BINARY_TD
