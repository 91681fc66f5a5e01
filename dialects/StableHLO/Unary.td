// The operations of the StableHLO dialect that map one tensor element by element.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_STABLEHLO_UNARY_TD
#define SYSTOLE_DIALECTS_STABLEHLO_UNARY_TD

include "dialects/StableHLO/Attributes.td"

// One operand, one result of the same shape.
class StableHLO_UnaryBaseOp<string mnemonic, list<Trait> traits,
                            Type operandType, Type resultType>
    : StableHLO_Op<mnemonic, traits # [Elementwise, Pure]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:`
    custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

// One operand, one result of the same type; `sample` is the element type in
// the example.
class StableHLO_UnaryOp<string mnemonic, Type type, string sample>
    : StableHLO_UnaryBaseOp<mnemonic,
                            [StableHLO_SameType, InferTypeOpInterface,
                             OpKindOf<"Elementwise">],
                            type, type> {
  let example = "\n    func.func @" # mnemonic # "(%x: tensor<4x" # sample #
                ">) -> tensor<4x" # sample # "> {\n      %r = stablehlo." #
                mnemonic # " %x : tensor<4x" # sample # ">\n      return %r : " #
                "tensor<4x" # sample # ">\n    }\n  ";
  let extraClassDeclaration = StableHLO_LeaveTypesToTrait # [{
    /// The result has the operand's type.
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr,
        ::mlir::OpaqueProperties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::systole::stablehlo::inferFirstOperandType(operands, types);
    }
  }];
}

// A function with an optional required accuracy.
class StableHLO_TranscendentalOp<string mnemonic>
    : StableHLO_UnaryOp<mnemonic, StableHLO_FloatOrComplexTensor, "f32"> {
  let arguments = (ins StableHLO_FloatOrComplexTensor:$operand,
                       StableHLO_OptionalResultAccuracy:$result_accuracy);
}

//===----------------------------------------------------------------------===//
// Sign, rounding and bits
//===----------------------------------------------------------------------===//

def StableHLO_AbsOp : StableHLO_UnaryBaseOp<"abs",
    [InferTypeOpAdaptor, StableHLO_InferredType, OpKindOf<"Elementwise">],
    StableHLO_SignedTensor, StableHLO_RealSignedTensor> {
  let summary = "Absolute value of each element";
  let semantics = [{
    The magnitude of each element. Of a complex number it is the Euclidean one,
    a real number; the most negative integer stays as it is.

    Constraints:
    - operand and result have the same shape;
    - the result's element type is the operand's, or the type of its real part
      when that is complex.
  }];
  let example = [{
    func.func @abs(%x: tensor<4xi32>, %z: tensor<2xcomplex<f32>>)
        -> (tensor<4xi32>, tensor<2xf32>) {
      %r = stablehlo.abs %x : tensor<4xi32>
      %m = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
      return %r, %m : tensor<4xi32>, tensor<2xf32>
    }
  }];
}

def StableHLO_NegOp : StableHLO_UnaryOp<"negate", StableHLO_NumberTensor, "f32"> {
  let summary = "Negation of each element";
  let semantics = [{
    Each element with its sign turned. Integers wrap modulo 2^n, so unsigned ones
    are complemented and incremented.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_SignOp : StableHLO_UnaryOp<"sign", StableHLO_SignedTensor, "f32"> {
  let summary = "Sign of each element";
  let semantics = [{
    -1, 0 or 1 after the sign of each element. A floating-point zero keeps its own
    sign and a NaN stays a NaN; a complex number is divided by its magnitude.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_CeilOp : StableHLO_UnaryOp<"ceil", StableHLO_FloatTensor, "f32"> {
  let summary = "Round each element up";
  let semantics = [{
    The least integral value that is not below each element.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_FloorOp : StableHLO_UnaryOp<"floor", StableHLO_FloatTensor, "f32"> {
  let summary = "Round each element down";
  let semantics = [{
    The greatest integral value that is not above each element.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_RoundOp : StableHLO_UnaryOp<"round_nearest_afz", StableHLO_FloatTensor, "f32"> {
  let summary = "Round to nearest, ties away from zero";
  let semantics = [{
    The integral value nearest to each element; of two equally near ones the one
    further from zero.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_RoundNearestEvenOp
    : StableHLO_UnaryOp<"round_nearest_even", StableHLO_FloatTensor, "f32"> {
  let summary = "Round to nearest, ties to even";
  let semantics = [{
    The integral value nearest to each element; of two equally near ones the even
    one.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_NotOp : StableHLO_UnaryOp<"not", StableHLO_PredOrIntTensor, "i1"> {
  let summary = "Complement of each element";
  let semantics = [{
    Logical negation of an `i1`, bitwise complement of a wider integer.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_PopulationCountOp : StableHLO_UnaryOp<"popcnt", StableHLO_IntTensor, "i32"> {
  let summary = "Count the set bits of each element";
  let semantics = [{
    How many bits of each element are one.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_ClzOp : StableHLO_UnaryOp<"count_leading_zeros", StableHLO_IntTensor, "i32"> {
  let summary = "Count the leading zero bits of each element";
  let semantics = [{
    How many bits are zero above the highest set bit of each element; the bit width
    for zero.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_IsFiniteOp : StableHLO_UnaryBaseOp<"is_finite",
    [InferTypeOpAdaptor, StableHLO_InferredType, OpKindOf<"Elementwise">],
    StableHLO_FloatTensor, StableHLO_PredTensor> {
  let summary = "Tell finite elements from infinities and NaNs";
  let semantics = [{
    True where an element is a number other than an infinity.

    Constraints:
    - operand and result have the same shape;
    - the result's element type is `i1`.
  }];
  let arguments = (ins StableHLO_FloatTensor:$x);
  let results = (outs StableHLO_PredTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let example = [{
    func.func @is_finite(%x: tensor<4xf32>) -> tensor<4xi1> {
      %r = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
      return %r : tensor<4xi1>
    }
  }];
}

def StableHLO_ReducePrecisionOp
    : StableHLO_UnaryOp<"reduce_precision", StableHLO_FloatTensor, "f32"> {
  let summary = "Round each element to fewer bits";
  let semantics = [{
    The nearest number, of two equally near ones the even one, that a format with
    `exponent_bits` and `mantissa_bits` can hold; infinity where the element is too
    large for it, and zero where it is too small for a normal number of it. The
    format is written `e5m2`.

    Constraints:
    - operand and result have the same type;
    - `exponent_bits` is at least 1, `mantissa_bits` at least 0.
  }];
  let arguments = (ins StableHLO_FloatTensor:$operand,
                       ConfinedAttr<I32Attr, [IntPositive]>:$exponent_bits,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$mantissa_bits);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
    attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let example = [{
    func.func @reduce_precision(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = stablehlo.reduce_precision %x, format = e5m2 : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

//===----------------------------------------------------------------------===//
// Transcendental functions
//===----------------------------------------------------------------------===//

def StableHLO_ExpOp : StableHLO_TranscendentalOp<"exponential"> {
  let summary = "Exponential of each element";
  let semantics = [{
    e to the power of each element.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_Expm1Op : StableHLO_TranscendentalOp<"exponential_minus_one"> {
  let summary = "Exponential of each element, less one";
  let semantics = [{
    e to the power of each element, less one, accurate also near zero.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_LogOp : StableHLO_TranscendentalOp<"log"> {
  let summary = "Natural logarithm of each element";
  let semantics = [{
    The natural logarithm; NaN for negative numbers, minus infinity for zero.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_Log1pOp : StableHLO_TranscendentalOp<"log_plus_one"> {
  let summary = "Natural logarithm of one plus each element";
  let semantics = [{
    The natural logarithm of one plus each element, accurate also near zero.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_LogisticOp : StableHLO_TranscendentalOp<"logistic"> {
  let summary = "Logistic function of each element";
  let semantics = [{
    1 / (1 + exp(-x)) for each element x.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_TanhOp : StableHLO_TranscendentalOp<"tanh"> {
  let summary = "Hyperbolic tangent of each element";
  let semantics = [{
    The hyperbolic tangent.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_TanOp : StableHLO_TranscendentalOp<"tan"> {
  let summary = "Tangent of each element";
  let semantics = [{
    The tangent of an angle in radians.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_SineOp : StableHLO_TranscendentalOp<"sine"> {
  let summary = "Sine of each element";
  let semantics = [{
    The sine of an angle in radians.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_CosineOp : StableHLO_TranscendentalOp<"cosine"> {
  let summary = "Cosine of each element";
  let semantics = [{
    The cosine of an angle in radians.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_SqrtOp : StableHLO_TranscendentalOp<"sqrt"> {
  let summary = "Square root of each element";
  let semantics = [{
    The square root; NaN for negative numbers, the principal root of complex ones.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_RsqrtOp : StableHLO_TranscendentalOp<"rsqrt"> {
  let summary = "Reciprocal square root of each element";
  let semantics = [{
    One divided by the square root.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

def StableHLO_CbrtOp : StableHLO_TranscendentalOp<"cbrt"> {
  let summary = "Cube root of each element";
  let semantics = [{
    The real cube root of real numbers, the principal one of complex numbers.

    The optional `result_accuracy` says how far the result may be off.

    Constraint: operand and result have the same type.
  }];
}

//===----------------------------------------------------------------------===//
// Parts of complex numbers
//===----------------------------------------------------------------------===//

class StableHLO_PartOp<string mnemonic> : StableHLO_UnaryBaseOp<mnemonic,
    [InferTypeOpAdaptor, StableHLO_InferredType, OpKindOf<"Elementwise">],
    StableHLO_FloatOrComplexTensor, StableHLO_FloatTensor> {
  let example = "\n    func.func @" # mnemonic # "(%z: tensor<4xcomplex<f32>>) -> " #
                "tensor<4xf32> {\n      %r = stablehlo." # mnemonic #
                " %z : (tensor<4xcomplex<f32>>) -> tensor<4xf32>\n" #
                "      return %r : tensor<4xf32>\n    }\n  ";
}

def StableHLO_RealOp : StableHLO_PartOp<"real"> {
  let summary = "Real part of each element";
  let semantics = [{
    The real part of a complex number; a real number itself.

    Constraints:
    - operand and result have the same shape;
    - the result's element type is the operand's, or the type of its real part
      when that is complex.
  }];
}

def StableHLO_ImagOp : StableHLO_PartOp<"imag"> {
  let summary = "Imaginary part of each element";
  let semantics = [{
    The imaginary part of a complex number; zero for a real one.

    Constraints:
    - operand and result have the same shape;
    - the result's element type is the operand's, or the type of its imaginary
      part when that is complex.
  }];
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def StableHLO_ConvertOp : StableHLO_UnaryBaseOp<"convert",
    [StableHLO_SameShape, OpKindOf<"Elementwise">], StableHLO_Tensor, StableHLO_Tensor> {
  let summary = "Convert each element to another type";
  let semantics = [{
    Each element as a value of the result's element type. Towards a narrower
    float it rounds to nearest even; from float to integer it drops the
    fraction; between integers it extends by the source's signedness or keeps
    the low bits. Towards `i1` it asks whether an element differs from zero, and
    from `i1` it yields zero or one. A real number becomes a complex one with no
    imaginary part, and a complex one loses it.

    Constraint: operand and result have the same shape.
  }];
  let example = [{
    func.func @convert(%x: tensor<4xf32>) -> tensor<4xi32> {
      %r = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xi32>
      return %r : tensor<4xi32>
    }
  }];
}

def StableHLO_UniformQuantizeOp : StableHLO_UnaryBaseOp<"uniform_quantize",
    [StableHLO_SameShape], StableHLO_FloatOrQuantizedTensor, StableHLO_QuantizedTensor> {
  let summary = "Convert each element to a quantized type";
  let semantics = [{
    The quotient of each number and the scale of the result's type, rounded to
    even, plus its zero point, saturated to the range of what is stored. A
    quantized element is converted as the number that it represents.

    Constraints:
    - operand and result have the same shape;
    - numbers of the operand and of the result have one type.
  }];
  let hasVerifier = 1;
  let example = [{
    func.func @uniform_quantize(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>> {
      %r = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
      return %r : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
    }
  }];
}

def StableHLO_UniformDequantizeOp : StableHLO_UnaryBaseOp<"uniform_dequantize",
    [InferTypeOpAdaptor, StableHLO_InferredType], StableHLO_QuantizedTensor,
    StableHLO_DequantizedTensor> {
  let summary = "Convert each quantized element to the number that it represents";
  let semantics = [{
    What is stored less the zero point, times the scale.

    Constraint: the result has the operand's shape, and the type of its numbers.
  }];
  let example = [{
    func.func @uniform_dequantize(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4xf32> {
      %r = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }];
}

def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert",
    [Pure, OpKindOf<"Elementwise">]> {
  let summary = "Read the bits of each element as another type";
  let semantics = [{
    Reinterprets the elements' bits. Elements of equal width map one to one;
    towards a narrower type every element spreads over a new last dimension,
    low bits first, and towards a wider type the last dimension is joined.

    Constraints:
    - of equal bit widths, operand and result have the same shape;
    - otherwise the tensor of narrower elements has one more dimension, at the
      end, whose size is the quotient of the widths, and the other dimensions
      are equal;
    - either both element types are complex or none.
  }];
  let arguments = (ins StableHLO_PerAxisTensor:$operand);
  let results = (outs StableHLO_PerAxisTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let example = [{
    func.func @bitcast_convert(%x: tensor<4xf32>) -> tensor<4x2xui16> {
      %r = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x2xui16>
      return %r : tensor<4x2xui16>
    }
  }];
}

#endif // SYSTOLE_DIALECTS_STABLEHLO_UNARY_TD
