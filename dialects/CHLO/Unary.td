// The operations of the CHLO dialect that map one tensor element by element.
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SYSTOLE_DIALECTS_CHLO_UNARY_TD
#define SYSTOLE_DIALECTS_CHLO_UNARY_TD

include "dialects/CHLO/CHLOBase.td"

// One operand, one result of the same shape; `sample` and `result` are their element types
// in the example.
class CHLO_UnaryBaseOp<string mnemonic, list<Trait> traits, Type operandType, Type resultType,
                       string result, string sample = "f32">
    : CHLO_Op<mnemonic, traits # [Elementwise]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let example = "\n    func.func @" # mnemonic # "(%x: tensor<4x" # sample # ">) -> tensor<4x" # result #
                "> {\n      %r = chlo." # mnemonic # " %x : tensor<4x" # sample # "> -> tensor<4x" # result #
                ">\n      return %r : tensor<4x" # result # ">\n    }\n  ";
}

class CHLO_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : CHLO_UnaryBaseOp<mnemonic, [StableHLO_SameType] # traits, type, type, "f32">;

// A function that is evaluated in fixed-point numbers where its type is f64, and that passes before
// see as an elementwise operation.
class CHLO_DoubleFunctionOp<string mnemonic, Type type>
    : CHLO_UnaryOp<mnemonic, type, [OpKindOf<"Elementwise">]>;

class CHLO_PredicateOp<string mnemonic>
    : CHLO_UnaryBaseOp<mnemonic, [StableHLO_SameShape], StableHLO_FloatTensor,
                       StableHLO_PredTensor, "i1">;

//===----------------------------------------------------------------------===//
// Inverse trigonometric and hyperbolic functions
//===----------------------------------------------------------------------===//

def CHLO_AsinAcosKernelOp : CHLO_UnaryBaseOp<"_asin_acos_kernel", [StableHLO_SameType],
    StableHLO_ComplexTensor, StableHLO_ComplexTensor, "complex<f32>", "complex<f32>"> {
  let summary = "What the inverse sine and cosine have in common";
  let semantics = [{
    A number w of each element z of which the inverse functions follow:
    asin(z) = atan2(re(z), re(w)) + i sign(im(z)) im(w), and
    acos(z) = atan2(re(w), re(z)) - i sign(im(z)) im(w).

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AcosOp : CHLO_UnaryOp<"acos", StableHLO_FloatOrComplexTensor> {
  let summary = "Arc cosine of each element";
  let semantics = [{
    The angle from 0 to pi of which an element is the cosine; NaN beyond -1 and 1.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AsinOp : CHLO_UnaryOp<"asin", StableHLO_FloatOrComplexTensor> {
  let summary = "Arc sine of each element";
  let semantics = [{
    The angle from -pi/2 to pi/2 of which an element is the sine; NaN beyond -1 and 1.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AtanOp : CHLO_UnaryOp<"atan", StableHLO_FloatOrComplexTensor> {
  let summary = "Arc tangent of each element";
  let semantics = [{
    The angle from -pi/2 to pi/2 of which an element is the tangent.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AcoshOp : CHLO_DoubleFunctionOp<"acosh", StableHLO_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic cosine of each element";
  let semantics = [{
    The number from 0 up of which an element is the hyperbolic cosine; NaN below 1.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AsinhOp : CHLO_UnaryOp<"asinh", StableHLO_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic sine of each element";
  let semantics = [{
    The number of which an element is the hyperbolic sine.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_AtanhOp : CHLO_UnaryOp<"atanh", StableHLO_FloatOrComplexTensor> {
  let summary = "Inverse hyperbolic tangent of each element";
  let semantics = [{
    The number of which an element is the hyperbolic tangent; infinite at -1 and 1 and NaN
    beyond.

    Constraint: operand and result have the same type.
  }];
}

//===----------------------------------------------------------------------===//
// Trigonometric and hyperbolic functions
//===----------------------------------------------------------------------===//

def CHLO_CoshOp : CHLO_DoubleFunctionOp<"cosh", StableHLO_FloatOrComplexTensor> {
  let summary = "Hyperbolic cosine of each element";
  let semantics = [{
    Half the sum of e^x and e^-x for each element x.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_SinhOp : CHLO_DoubleFunctionOp<"sinh", StableHLO_FloatOrComplexTensor> {
  let summary = "Hyperbolic sine of each element";
  let semantics = [{
    Half the difference of e^x and e^-x for each element x, accurate also near zero.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_TanOp : CHLO_UnaryOp<"tan", StableHLO_FloatOrComplexTensor> {
  let summary = "Tangent of each element";
  let semantics = [{
    The tangent of an angle in radians.

    Constraint: operand and result have the same type.
  }];
}

//===----------------------------------------------------------------------===//
// Special functions
//===----------------------------------------------------------------------===//

def CHLO_BesselI1eOp : CHLO_DoubleFunctionOp<"bessel_i1e", StableHLO_FloatTensor> {
  let summary = "Scaled modified Bessel function of order 1";
  let semantics = [{
    e^-|x| I1(x) for each element x, where I1 is the modified Bessel function of the first kind.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_DigammaOp : CHLO_DoubleFunctionOp<"digamma", StableHLO_FloatTensor> {
  let summary = "Logarithmic derivative of the gamma function";
  let semantics = [{
    The derivative of the logarithm of the gamma function; NaN at zero and at negative
    integers.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_ErfOp : CHLO_DoubleFunctionOp<"erf", StableHLO_FloatTensor> {
  let summary = "Error function of each element";
  let semantics = [{
    2 / sqrt(pi) times the integral of e^(-t^2) from 0 to an element.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_ErfInvOp : CHLO_DoubleFunctionOp<"erf_inv", StableHLO_FloatTensor> {
  let summary = "Inverse error function of each element";
  let semantics = [{
    The number of which an element is the error function; infinite at -1 and 1 and NaN
    beyond.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_ErfcOp : CHLO_DoubleFunctionOp<"erfc", StableHLO_FloatTensor> {
  let summary = "Complementary error function of each element";
  let semantics = [{
    One less the error function, accurate also where that is nearly one.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_LgammaOp : CHLO_DoubleFunctionOp<"lgamma", StableHLO_FloatTensor> {
  let summary = "Logarithm of the gamma function";
  let semantics = [{
    The natural logarithm of the gamma function's magnitude; infinite at zero and at
    negative integers.

    Constraint: operand and result have the same type.
  }];
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

def CHLO_ConjOp : CHLO_UnaryOp<"conj", StableHLO_FloatOrComplexTensor> {
  let summary = "Complex conjugate of each element";
  let semantics = [{
    An element with the sign of its imaginary part turned; a real number stays as it is.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_SquareOp : CHLO_UnaryOp<"square", StableHLO_FloatOrComplexTensor> {
  let summary = "Square of each element";
  let semantics = [{
    An element multiplied by itself.

    Constraint: operand and result have the same type.
  }];
}

def CHLO_IsInfOp : CHLO_PredicateOp<"is_inf"> {
  let summary = "Tell infinite elements";
  let semantics = [{
    True where an element is infinite, of either sign.

    Constraint: operand and result have the same shape.
  }];
}

def CHLO_IsNegInfOp : CHLO_PredicateOp<"is_neg_inf"> {
  let summary = "Tell negative infinities";
  let semantics = [{
    True where an element is negative and infinite.

    Constraint: operand and result have the same shape.
  }];
}

def CHLO_IsPosInfOp : CHLO_PredicateOp<"is_pos_inf"> {
  let summary = "Tell positive infinities";
  let semantics = [{
    True where an element is positive and infinite.

    Constraint: operand and result have the same shape.
  }];
}

#endif // SYSTOLE_DIALECTS_CHLO_UNARY_TD
