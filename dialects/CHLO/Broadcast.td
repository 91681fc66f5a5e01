// The operations of the CHLO dialect that broadcast their operands to one shape.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_BROADCAST_TD
#define SYSTOLE_DIALECTS_CHLO_BROADCAST_TD

include "dialects/CHLO/CHLOBase.td"

// Two operands that are broadcast to one shape: the dimensions of the operand of
// lower rank are `broadcast_dimensions` of the other, by default its last ones, and
// a size of 1 becomes that of its counterpart.
class CHLO_BroadcastBaseOp<string mnemonic, list<Trait> traits, Type type, Type resultType>
    : CHLO_Op<mnemonic, traits> {
  let arguments = (ins type:$lhs, type:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return verifyBroadcast(*this, getBroadcastDimensions());
    }
  }];
}

// `sample` is the element type in the example, `stem` the element-wise operation.
class CHLO_BroadcastOp<string stem, Type type, string sample = "f32">
    : CHLO_BroadcastBaseOp<"broadcast_" # stem, [StableHLO_SameElementType], type, type> {
  let summary = "Apply `" # stem # "` to operands of several shapes";
  let semantics = "\n    Broadcasts both operands to one shape and applies `" # stem #
      "` element by element.\n\n"
      "    Constraints:\n"
      "    - operands and result have the same element type;\n"
      "    - `broadcast_dimensions` names a dimension of the operand of higher rank for\n"
      "      each of the other one, in ascending order;\n"
      "    - sizes of matching dimensions are equal, or one of them is 1; the result\n"
      "      has the larger one.\n";
  let example = "\n    func.func @" # stem # "(%x: tensor<3x4x" # sample # ">, %y: tensor<3x" #
                sample # ">) -> tensor<3x4x" # sample # "> {\n      %r = chlo.broadcast_" # stem #
                " %x, %y {broadcast_dimensions = array<i64: 0>}\n          : (tensor<3x4x" #
                sample # ">, tensor<3x" # sample # ">) -> tensor<3x4x" # sample #
                ">\n      return %r : tensor<3x4x" # sample # ">\n    }\n  ";
}

def CHLO_BroadcastAddOp : CHLO_BroadcastOp<"add", StableHLO_Tensor>;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastOp<"atan2", StableHLO_FloatOrComplexTensor>;
def CHLO_BroadcastDivideOp : CHLO_BroadcastOp<"divide", StableHLO_NumberTensor>;
def CHLO_BroadcastMaximumOp : CHLO_BroadcastOp<"maximum", StableHLO_Tensor>;
def CHLO_BroadcastMinimumOp : CHLO_BroadcastOp<"minimum", StableHLO_Tensor>;
def CHLO_BroadcastMultiplyOp : CHLO_BroadcastOp<"multiply", StableHLO_Tensor>;
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastOp<"next_after", StableHLO_FloatTensor>;
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastOp<"polygamma", StableHLO_FloatTensor>;
def CHLO_BroadcastPowerOp : CHLO_BroadcastOp<"power", StableHLO_NumberTensor>;
def CHLO_BroadcastRemainderOp : CHLO_BroadcastOp<"remainder", StableHLO_NumberTensor>;
def CHLO_BroadcastSubtractOp : CHLO_BroadcastOp<"subtract", StableHLO_NumberTensor>;
def CHLO_BroadcastZetaOp : CHLO_BroadcastOp<"zeta", StableHLO_FloatTensor>;
def CHLO_BroadcastAndOp : CHLO_BroadcastOp<"and", StableHLO_PredOrIntTensor, "i32">;
def CHLO_BroadcastOrOp : CHLO_BroadcastOp<"or", StableHLO_PredOrIntTensor, "i32">;
def CHLO_BroadcastXorOp : CHLO_BroadcastOp<"xor", StableHLO_PredOrIntTensor, "i32">;
def CHLO_BroadcastShiftLeftOp : CHLO_BroadcastOp<"shift_left", StableHLO_IntTensor, "i32">;
def CHLO_BroadcastShiftRightArithmeticOp
    : CHLO_BroadcastOp<"shift_right_arithmetic", StableHLO_IntTensor, "i32">;
def CHLO_BroadcastShiftRightLogicalOp
    : CHLO_BroadcastOp<"shift_right_logical", StableHLO_IntTensor, "i32">;

def CHLO_BroadcastCompareOp
    : CHLO_BroadcastBaseOp<"broadcast_compare", [], StableHLO_Tensor, StableHLO_PredTensor> {
  let summary = "Compare operands of several shapes";
  let semantics = [{
    Brings both operands to one shape and compares element by element, as
    `stablehlo.compare` does.

    Constraints:
    - the operands have the same element type, the result has `i1`;
    - shapes meet as in the other broadcasting operations.
  }];
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       CHLO_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let example = [{
    func.func @compare(%x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<3x4xi1> {
      %r = chlo.broadcast_compare %x, %y
          {comparison_direction = #chlo<comparison_direction LT>}
          : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
      return %r : tensor<3x4xi1>
    }
  }];
}

def CHLO_BroadcastComplexOp
    : CHLO_BroadcastBaseOp<"broadcast_complex",
        [PredOpTrait<"the result has parts of the operands' element type",
            CPred<"::mlir::cast<::mlir::ComplexType>(::mlir::getElementTypeOrSelf($result))"
                  ".getElementType() == ::mlir::getElementTypeOrSelf($lhs)">>],
        StableHLO_RealPartTensor, StableHLO_ComplexTensor> {
  let summary = "Complex numbers of parts of several shapes";
  let semantics = [{
    Brings real and imaginary parts to one shape and puts them together, as
    `stablehlo.complex` does.

    Constraints:
    - the operands have the same element type, which the parts of the result have;
    - shapes meet as in the other broadcasting operations.
  }];
  let example = [{
    func.func @complex(%x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<3x4xcomplex<f32>> {
      %r = chlo.broadcast_complex %x, %y
          : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xcomplex<f32>>
      return %r : tensor<3x4xcomplex<f32>>
    }
  }];
}

def CHLO_BroadcastSelectOp : CHLO_Op<"broadcast_select"> {
  let summary = "Choose between operands of several shapes";
  let semantics = [{
    Brings predicate and operands to one shape, along their last dimensions, and
    chooses element by element.

    Constraints:
    - both operands and the result have the same element type;
    - sizes of dimensions that meet are equal, or one of them is 1; the result has
      the larger one.
  }];
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true,
                       StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @choose(%p: tensor<4xi1>, %x: tensor<3x4xf32>, %y: tensor<f32>) -> tensor<3x4xf32> {
      %r = chlo.broadcast_select %p, %x, %y
          : (tensor<4xi1>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
      return %r : tensor<3x4xf32>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_BROADCAST_TD
