// Arithmetic of IEEE 754 binary64 on pairs of 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_FLOAT64_DOUBLES_H
#define SYSTOLE_COMPILER_LEGALIZE_FLOAT64_DOUBLES_H

#include "compiler/Legalize/Wide64/Words.h"

namespace systole::float64 {

using wide64::Words;

// The high word of an f64: the sign, 11 bits of the exponent, 20 of the significand.
inline constexpr uint32_t kSign = 0x80000000;
inline constexpr uint32_t kInfinity = 0x7ff00000;
inline constexpr uint32_t kNaN = 0x7ff80000;
inline constexpr uint32_t kOne = 0x3ff00000;
inline constexpr int kFraction = 20; ///< bits of the significand in the high word
inline constexpr int kBias = 1023;
inline constexpr int kUnused = 11; ///< bits of 64 beyond a significand

/// A number that is not special: the significand times 2^(exponent - kBias - 63). The highest bit
/// of the significand is set, unless the number is zero. Exponents may be negative: words modulo
/// 2^32.
struct Number {
  mlir::Value exponent;
  Words significand;
};

/// Builds expressions on the bits of f64. All results are rounded to nearest, ties to even, and all
/// NaN results are the same quiet one.
class Doubles : public wide64::Expressions {
public:
  using Expressions::add;
  using Expressions::equal;
  using Expressions::Expressions;
  using Expressions::less;
  using Expressions::multiply;
  using Expressions::number;
  using Expressions::subtract;

  // Parts
  Value magnitude(const Words &x) { return bitAnd(x.high, number(~kSign, x.high)); }
  Value sign(const Words &x) { return bitAnd(x.high, number(kSign, x.high)); }
  Words absolute(const Words &x) { return {x.low, magnitude(x)}; }
  Words opposite(const Words &x) { return {x.low, bitXor(x.high, number(kSign, x.high))}; }
  Words withSign(const Words &x, Value sign) { return {x.low, bitOr(x.high, sign)}; }
  /// The biased exponent.
  Value exponent(const Words &x);
  /// The 53 bits of the significand; `isNormal` is 1 if the highest one is set, else 0.
  Words significand(const Words &x, Value isNormal);
  /// The number of a finite `x`, whatever its sign.
  Number unpack(const Words &x);

  // Predicates
  Value isNaN(const Words &x);
  Value isFinite(const Words &x);
  /// Either zero.
  Value isZeroNumber(const Words &x) { return equal(bitOr(magnitude(x), x.low), zero(x.low)); }
  /// Keys whose order as signed integers is the total order of f64.
  Words totalKey(const Words &x);
  /// As floats: zeros are equal, and a NaN compares with nothing.
  Value compare(Direction direction, const Words &x, const Words &y);
  Value compareTotal(Direction direction, const Words &x, const Words &y);

  // Arithmetic
  Words sum(const Words &x, const Words &y);
  Words difference(const Words &x, const Words &y) { return sum(x, opposite(y)); }
  Words product(const Words &x, const Words &y);
  Words quotient(const Words &x, const Words &y);
  Words root(const Words &x);
  Words remainder(const Words &x, const Words &y);
  Words minimum(const Words &x, const Words &y, bool takesLess);
  Words signOf(const Words &x);

  enum class Rounding { Down, Up, Even, Away };
  Words toIntegral(const Words &x, Rounding rounding);
  /// The nearest number with fewer bits, as an f64.
  Words reduce(const Words &x, unsigned exponentBits, unsigned mantissaBits);

  // Conversions
  /// The bits of a float with `mantissa` stored bits, of 16 or 32 bits.
  Value toFloat(const Words &x, unsigned width, unsigned mantissa);
  Words fromFloat(Value bits);
  /// Truncated integers of 64 bits, saturated; a NaN is 0.
  Words toInteger(const Words &x, bool isSigned);
  /// Of 32 bits.
  Value toWord(const Words &x, bool isSigned);
  Words fromInteger(const Words &x, bool isSigned);
  Words fromWord(Value x, bool isSigned);

  // Steps
  Words constant(double value, Value like);
  Words special(uint32_t high, Value like) { return {zero(like), number(high, like)}; }
  Value sticky(Value x) { return t.apply<stablehlo::MinOp>(x, number(1, x)); }
  Value signedMax(Value x, Value y) {
    return word(t.apply<stablehlo::MaxOp>(as(x, i32), as(y, i32)));
  }
  Value signedMin(Value x, Value y) {
    return word(t.apply<stablehlo::MinOp>(as(x, i32), as(y, i32)));
  }
  Value leadingZeros(const Words &x);
  /// Applies `body` while the first value of an element is positive.
  llvm::SmallVector<Value>
  repeatWhilePositive(llvm::ArrayRef<Value> values,
                      llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange)> body);
  /// The last bit is set if a bit that is shifted out was.
  Words shiftRightSticky(const Words &x, Value by);
  Words normalize(const Words &x, Value zeros) { return shiftLeft(x, zeros); }
  /// The bits of 2^(exponent - kBias - 63) times a significand with its highest bit set, or less if
  /// `exponent` is 1. The lowest bits stand for all lower ones. Without `mayUnderflow` exponents
  /// are positive.
  Words round(Value sign, Value exponent, Words significand, bool mayUnderflow);
  /// The high 64 bits of a product, and the lowest bit set if a lower one is.
  Words productHigh(const Words &x, const Words &y, bool isSticky);
  /// x / y 2^63 if that is less than 2^64, with a sticky last bit; y is 2^62 or more.
  Words quotientBits(const Words &x, const Words &y);
  /// The square root, of 61 bits and a sticky one, of a positive number of up to `bits` bits.
  Number rootOf(const Number &x, unsigned bits);
  /// x if `mask` is true.
  Words choose(Value mask, const Words &x, const Words &y) {
    return Expressions::select(mask, x, y);
  }
};

} // namespace systole::float64

#endif // SYSTOLE_COMPILER_LEGALIZE_FLOAT64_DOUBLES_H
