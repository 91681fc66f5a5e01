// Conversions of IEEE 754 binary64 on pairs of 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Doubles.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// The highest 32 bits of the significand, of which the last one is sticky, are rounded once.
// Subnormal numbers of f64 are below all of the other type and become zero.
Value Doubles::toFloat(const Words &x, unsigned width, unsigned mantissa) {
  int exponentBits = width - 1 - mantissa, bias = (1 << (exponentBits - 1)) - 1;
  int dropped = 31 - mantissa;
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissa;
  Value none = zero(x.low), one = number(1, none);
  Value field = exponent(x);
  Words bits = shiftLeft(significand(x, sticky(field)), number(kUnused, none));
  Value top = bitOr(bits.high, sticky(bits.low));
  Value e = subtract(field, number(kBias - bias, none));
  Value by = signedMax(subtract(one, e), none);
  // A shift by 32 bits or more leaves the sticky bit.
  Value lost = shiftLeft(top, signedMax(subtract(number(32, none), by), none));
  top = bitOr(shiftRight(top, by), sticky(lost));
  Value kept = shiftRight(top, number(dropped, none));
  Value rest = bitAnd(top, number((1u << dropped) - 1, none));
  Value isUp = less(number(1u << (dropped - 1), none), add(rest, bitAnd(kept, one)));
  Value scale = signedMax(subtract(e, one), none);
  Value packed = add(add(kept, shiftLeft(scale, number(mantissa, none))), bit(isUp));
  // Exponents whose field does not fit the word are large.
  Value isLarge = lessSigned(number((1 << exponentBits) - 1, none), add(e, one));
  packed = t.apply<MinOp>(packed, number(infinity, none));
  packed = select(isLarge, number(infinity, none), packed);
  packed = select(isNaN(x), number(infinity | (1u << (mantissa - 1)), none), packed);
  return bitOr(packed, shiftRight(sign(x), number(32 - width, none)));
}

Words Doubles::fromFloat(Value bits) {
  constexpr int mantissa = 23, bias = 127;
  Value none = zero(bits), minus = bitAnd(bits, number(kSign, bits));
  Value magnitude = bitXor(bits, minus);
  Value fraction = bitAnd(magnitude, number((1 << mantissa) - 1, none));
  // Subnormal numbers: the highest bit of the fraction becomes that of a significand.
  Value zeros = subtract(t.apply<ClzOp>(fraction), number(8, none));
  Value isSmall = less(magnitude, number(1 << mantissa, none));
  Value field = shiftRight(magnitude, number(mantissa, none));
  Value small = subtract(number(1 + kBias - bias, none), zeros);
  Value e = select(isSmall, small, add(field, number(kBias - bias, none)));
  Value significand = select(isSmall, shiftLeft(fraction, zeros), fraction);
  significand = bitAnd(significand, number((1 << mantissa) - 1, none));
  constexpr int more = mantissa - kFraction;
  Words result = {
      shiftLeft(significand, number(32 - more, none)),
      bitOr(shiftRight(significand, number(more, none)), shiftLeft(e, number(kFraction, none)))};
  Value isSpecial = invert(less(magnitude, number(0x7f800000, none)));
  Value special = select(isNonZero(fraction), number(kNaN, none), number(kInfinity, none));
  result = choose(isSpecial, {none, special}, result);
  result = choose(equal(magnitude, none), {none, none}, result);
  return withSign(result, minus);
}

/// The magnitude of a number below 2^64, without its fraction.
static Words truncated(Doubles &d, const Words &x, Value field) {
  Words bits = d.shiftLeft(d.significand(x, d.sticky(field)), d.number(kUnused, field));
  Value by = d.subtract(d.number(kBias + 63, field), field);
  return d.shiftRight(bits, d.signedMax(by, d.zero(by)));
}

Words Doubles::toInteger(const Words &x, bool isSigned) {
  Value none = zero(x.low), field = exponent(x), isMinus = isNegative(x.high);
  Words result = truncated(*this, x, field);
  Value isLarge = less(number(kBias + (isSigned ? 62 : 63), none), field);
  if (isSigned) {
    result = negateIf(isMinus, result);
    Words least = wideNumber(uint64_t(1) << 63, none), most = wideNumber(INT64_MAX, none);
    result = choose(isLarge, choose(isMinus, least, most), result);
  } else {
    result = choose(isLarge, wideNumber(~uint64_t(0), none), result);
    result = choose(isMinus, {none, none}, result);
  }
  return choose(isNaN(x), {none, none}, result);
}

Value Doubles::toWord(const Words &x, bool isSigned) {
  Value none = zero(x.low), field = exponent(x), isMinus = isNegative(x.high);
  Value result = truncated(*this, x, field).low;
  Value isLarge = less(number(kBias + (isSigned ? 30 : 31), none), field);
  if (isSigned) {
    result = select(isMinus, Expressions::subtract(none, result), result);
    Value most = select(isMinus, number(kSign, none), number(~kSign, none));
    result = select(isLarge, most, result);
  } else {
    result = select(isLarge, number(~0u, none), result);
    result = select(isMinus, none, result);
  }
  return select(isNaN(x), none, result);
}

Words Doubles::fromInteger(const Words &x, bool isSigned) {
  Value none = zero(x.low), minus = none;
  Words magnitude = x;
  if (isSigned) {
    minus = sign(x);
    magnitude = negateIf(isNegative(x.high), x);
  }
  Value zeros = leadingZeros(magnitude);
  Words result = round(minus, subtract(number(kBias + 63, none), zeros),
                       normalize(magnitude, zeros), /*mayUnderflow=*/false);
  return choose(isZero(x), {none, none}, result);
}

Words Doubles::fromWord(Value x, bool isSigned) {
  Value none = zero(x), minus = none, magnitude = x;
  if (isSigned) {
    minus = bitAnd(x, number(kSign, x));
    magnitude = select(isNegative(x), Expressions::subtract(none, x), x);
  }
  Value zeros = t.apply<ClzOp>(magnitude);
  Value bits = shiftLeft(magnitude, zeros);
  Value scale = subtract(number(kBias + 30, none), zeros);
  Words result = {
      shiftLeft(bits, number(32 - kUnused, none)),
      add(shiftRight(bits, number(kUnused, none)), shiftLeft(scale, number(kFraction, none)))};
  result = choose(equal(x, none), {none, none}, result);
  return withSign(result, minus);
}

} // namespace systole::float64
