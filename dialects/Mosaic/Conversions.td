//===- Conversions.td - Conversions of elements ------------*- tablegen -*-===//
//
// Elements of other types, and functions of single elements.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SYSTOLE_DIALECTS_MOSAIC_CONVERSIONS_TD
#define SYSTOLE_DIALECTS_MOSAIC_CONVERSIONS_TD

def Mosaic_FloatLike : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>]>;
def Mosaic_IntegerLike : AnyTypeOf<[AnySignlessInteger, VectorOfAnyRankOf<[AnySignlessInteger]>]>;

/// A conversion of each element of a vector, or of a scalar.
class Mosaic_ConversionOp<string mnemonic, TypeConstraint from, TypeConstraint to>
    : Mosaic_Op<mnemonic, [Pure, SameOperandsAndResultShape]> {
  let arguments = (ins from:$in, Mosaic_RoundingModeAttr:$rounding_mode);
  let results = (outs to:$output);
}

def Mosaic_FPToSIOp : Mosaic_ConversionOp<"fptosi", Mosaic_FloatLike, Mosaic_IntegerLike> {
  let summary = "a float as a signed integer";
}
def Mosaic_FPToUIOp : Mosaic_ConversionOp<"fptoui", Mosaic_FloatLike, Mosaic_IntegerLike> {
  let summary = "a float as an unsigned integer";
}
def Mosaic_SIToFPOp : Mosaic_ConversionOp<"sitofp", Mosaic_IntegerLike, Mosaic_FloatLike> {
  let summary = "a signed integer as a float";
}
def Mosaic_UIToFPOp : Mosaic_ConversionOp<"uitofp", Mosaic_IntegerLike, Mosaic_FloatLike> {
  let summary = "an unsigned integer as a float";
}
def Mosaic_TruncFOp : Mosaic_ConversionOp<"truncf", Mosaic_FloatLike, Mosaic_FloatLike> {
  let summary = "a float as a narrower one";
}

def Mosaic_ExtFOp : Mosaic_Op<"extf", [Pure, SameOperandsAndResultShape]> {
  let summary = "a float as a wider one";
  let arguments = (ins Mosaic_FloatLike:$in);
  let results = (outs Mosaic_FloatLike:$out);
}

def Mosaic_BitcastOp : Mosaic_Op<"bitcast", [Pure]> {
  let summary = "the bits of a vector as elements of another width";
  let description = [{
    Words of 32 bits stay where they are, as with `tpu.memref_bitcast`: the second last dimension counts the
    narrow elements of a word.
  }];
  let arguments = (ins Mosaic_Vector:$input);
  let results = (outs Mosaic_Vector:$output);
  let hasVerifier = 1;
}

def Mosaic_BitcastVregOp : Mosaic_Op<"bitcast_vreg", [Pure]> {
  let summary = "the bits of a register as elements of another type";
  let arguments = (ins Mosaic_Vector:$input);
  let results = (outs Mosaic_Vector:$output);
}

def Mosaic_WeirdOp : Mosaic_Op<"weird", [Pure]> {
  let summary = "whether elements are infinite or NaN";
  let description = [{
    The operand is of f32 or a vector of it; the result is of i1.
  }];
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$output);
  let hasVerifier = 1;
}

def Mosaic_ReciprocalOp : Mosaic_Op<"reciprocal", [Pure, SameOperandsAndResultType]> {
  let summary = "1 / x";
  let description = [{
    With `approx` the hardware's estimate; then without `full_range` too, results of numbers near the ends of
    the range may be wrong. Without `approx` it is the quotient.
  }];
  let arguments = (ins VectorOfNonZeroRankOf<[AnyFloat]>:$input,
                       DefaultValuedAttr<BoolAttr, "false">:$approx,
                       DefaultValuedAttr<BoolAttr, "true">:$full_range);
  let results = (outs VectorOfNonZeroRankOf<[AnyFloat]>:$output);
}

def Mosaic_StochasticConvertOp : Mosaic_Op<"stochastic_convert", [Pure, SameOperandsAndResultShape]> {
  let summary = "round f32 up or down at random";
  let description = [{
    `random` decides: the bits of the mantissa that the result does not have are the probability of rounding
    away from zero.
  }];
  let arguments = (ins VectorOfNonZeroRankOf<[F32]>:$input, VectorOfNonZeroRankOf<[I32]>:$random);
  let results = (outs VectorOfNonZeroRankOf<[AnyFloat]>:$output);
}

def Mosaic_StochasticConvertElementwiseOp
    : Mosaic_Op<"stochastic_convert_elementwise", [Pure, SameOperandsAndResultShape]> {
  let summary = "round f32 up or down at random, into the low bits of a word";
  let arguments = (ins VectorOfNonZeroRankOf<[F32]>:$input, VectorOfNonZeroRankOf<[I32]>:$random,
                       TypeAttr:$dst_type);
  let results = (outs VectorOfNonZeroRankOf<[I32]>:$output);
  let hasVerifier = 1;
}

#endif // SYSTOLE_DIALECTS_MOSAIC_CONVERSIONS_TD
