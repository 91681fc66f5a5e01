// Parts, comparisons, sums and products of IEEE 754 binary64 on pairs of 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Doubles.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Words Doubles::constant(double value, Value like) {
  return wideNumber(llvm::bit_cast<uint64_t>(value), like);
}

Value Doubles::exponent(const Words &x) {
  return bitAnd(shiftRight(x.high, number(kFraction, x.high)), number(0x7ff, x.high));
}

Words Doubles::significand(const Words &x, Value isNormal) {
  Value fraction = bitAnd(x.high, number((1 << kFraction) - 1, x.high));
  return {x.low, bitOr(fraction, shiftLeft(isNormal, number(kFraction, x.high)))};
}

Number Doubles::unpack(const Words &x) {
  Value field = exponent(x);
  Words bits = shiftLeft(significand(x, sticky(field)), number(kUnused, field));
  Value zeros = leadingZeros(bits);
  Value least = t.apply<MaxOp>(field, number(1, field));
  return {subtract(least, zeros), normalize(bits, zeros)};
}

Value Doubles::leadingZeros(const Words &x) {
  Value high = t.apply<ClzOp>(x.high), low = t.apply<ClzOp>(x.low);
  return select(isNonZero(x.high), high, add(low, number(32, low)));
}

Words Doubles::shiftRightSticky(const Words &x, Value by) {
  Value left = subtract(number(32, by), by), none = zero(by);
  Value lost = bitOr(shiftLeft(x.low, signedMax(left, none)),
                     shiftLeft(x.high, signedMax(add(left, number(32, by)), none)));
  Words shifted = shiftRight(x, by);
  return {bitOr(shifted.low, sticky(lost)), shifted.high};
}

Words Doubles::round(Value sign, Value exponent, Words bits, bool mayUnderflow) {
  Value one = number(1, exponent), none = zero(exponent);
  // The highest bit of the significand adds 1 to this.
  Value field = subtract(exponent, one);
  if (mayUnderflow) {
    bits = shiftRightSticky(bits, signedMax(subtract(one, exponent), none));
    field = signedMax(field, none);
  }
  Words kept = shiftRight(bits, number(kUnused, none));
  Value rest = bitAnd(bits.low, number((1 << kUnused) - 1, none));
  Value isUp = less(number(1 << (kUnused - 1), none), add(rest, bitAnd(kept.low, one)));
  Words packed = {kept.low, add(kept.high, shiftLeft(field, number(kFraction, none)))};
  packed = add(packed, Words{bit(isUp), none});
  Value fits = less(packed.high, number(kInfinity, none));
  packed = choose(fits, packed, special(kInfinity, none));
  return withSign(packed, sign);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

Value Doubles::isNaN(const Words &x) {
  return less(number(kInfinity, x.low), bitOr(magnitude(x), sticky(x.low)));
}

Value Doubles::isFinite(const Words &x) { return less(magnitude(x), number(kInfinity, x.low)); }

Words Doubles::totalKey(const Words &x) {
  Value isMinus = signs(x.high);
  return {bitXor(x.low, isMinus), bitXor(x.high, bitAnd(isMinus, number(~kSign, x.high)))};
}

static Value ordered(Doubles &d, Doubles::Direction direction, const Words &x, const Words &y) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return d.equal(x, y);
  case ComparisonDirection::NE:
    return d.invert(d.equal(x, y));
  case ComparisonDirection::LT:
    return d.less(x, y, /*isSigned=*/true);
  case ComparisonDirection::GT:
    return d.less(y, x, /*isSigned=*/true);
  case ComparisonDirection::LE:
    return d.invert(d.less(y, x, /*isSigned=*/true));
  case ComparisonDirection::GE:
    return d.invert(d.less(x, y, /*isSigned=*/true));
  }
  llvm_unreachable("no such direction");
}

Value Doubles::compareTotal(Direction direction, const Words &x, const Words &y) {
  return ordered(*this, direction, totalKey(x), totalKey(y));
}

Value Doubles::compare(Direction direction, const Words &x, const Words &y) {
  // Negated magnitudes, so that both zeros are 0.
  auto key = [&](const Words &number) {
    Value isMinus = signs(number.high);
    Words magnitude = absolute(number);
    Words flipped = {bitXor(magnitude.low, isMinus), bitXor(magnitude.high, isMinus)};
    return Expressions::subtract(flipped, {isMinus, isMinus});
  };
  Value isUnordered = either(isNaN(x), isNaN(y));
  if (direction == Direction::NE)
    return either(invert(equal(key(x), key(y))), isUnordered);
  return both(ordered(*this, direction, key(x), key(y)), invert(isUnordered));
}

Words Doubles::minimum(const Words &x, const Words &y, bool takesLess) {
  Words first = totalKey(x), second = totalKey(y);
  Value isFirst = takesLess ? less(first, second, true) : less(second, first, true);
  // A NaN is chosen; of two the first.
  isFirst = both(either(isFirst, isNaN(x)), either(isNaN(x), invert(isNaN(y))));
  return choose(isFirst, x, y);
}

Words Doubles::signOf(const Words &x) {
  Words one = withSign(special(kOne, x.low), sign(x));
  return choose(either(isZeroNumber(x), isNaN(x)), x, one);
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

// The number of smaller magnitude is aligned to the larger one. Both have ten bits below their last
// one, so that all lower bits may be one sticky bit: a difference loses more than one leading bit
// only if the exponents differ by at most 1, and then it is exact.
Words Doubles::sum(const Words &x, const Words &y) {
  constexpr int room = kUnused - 1;
  Value isSwapped = less(absolute(x), absolute(y), /*isSigned=*/false);
  Words large = choose(isSwapped, y, x), small = choose(isSwapped, x, y);
  Value largeField = exponent(large), smallField = exponent(small);
  Value largeNormal = sticky(largeField), smallNormal = sticky(smallField);
  Value scale = subtract(largeField, largeNormal);
  Value distance = subtract(scale, subtract(smallField, smallNormal));
  Value by = number(room, scale), none = zero(scale);
  Words sum = shiftLeft(significand(large, largeNormal), by);
  Words other = shiftRightSticky(shiftLeft(significand(small, smallNormal), by), distance);

  // Subtracts by adding the complement and 1, for which the larger number has room.
  Value differ = signs(bitXor(large.high, small.high));
  other = {bitXor(other.low, differ), bitXor(other.high, differ)};
  sum = Expressions::add(Words{subtract(sum.low, differ), sum.high}, other);

  // At most to the exponent of subnormal numbers.
  Value zeros = leadingZeros(sum), e = add(scale, number(2, scale));
  Value left = t.apply<MinOp>(zeros, subtract(e, number(1, e)));
  Words result = round(sign(large), subtract(e, left), shiftLeft(sum, left),
                       /*mayUnderflow=*/false);
  // An exact zero is positive unless both numbers are negative.
  Value isNone = isZero(sum);
  result.high = select(isNone, sign({none, bitAnd(large.high, small.high)}), result.high);

  // Infinity less infinity, or a NaN.
  Value isSpecial = equal(largeField, number(0x7ff, e));
  Value invalid = bitAnd(bit(equal(smallField, number(0x7ff, e))), differ);
  Value key = bitOr(magnitude(large), bitOr(sticky(large.low), invalid));
  Value isInvalid = less(number(kInfinity, e), key);
  Words infinite = {none, select(isInvalid, number(kNaN, e), large.high)};
  return choose(isSpecial, infinite, result);
}

Words Doubles::productHigh(const Words &x, const Words &y, bool isSticky) {
  Value lowest = multiplyHigh(x.low, y.low);
  Value first = multiply(x.low, y.high), second = multiply(x.high, y.low);
  Value none = zero(lowest);
  Words middle = Expressions::add(Words{lowest, none}, Words{first, none});
  middle = Expressions::add(middle, Words{second, none});
  Words high = {multiply(x.high, y.high), multiplyHigh(x.high, y.high)};
  high = Expressions::add(high, Words{multiplyHigh(x.low, y.high), none});
  high = Expressions::add(high, Words{multiplyHigh(x.high, y.low), none});
  high = Expressions::add(high, Words{middle.high, none});
  if (isSticky)
    high.low = bitOr(high.low, sticky(bitOr(middle.low, multiply(x.low, y.low))));
  return high;
}

/// The result of special operands of a product or quotient: a zero, infinity, or NaN.
namespace {
struct Specials {
  Value isZero, isInfinite, isInvalid;
};
} // namespace

static Words withSpecials(Doubles &d, const Words &result, Value sign, const Specials &is) {
  Words value = d.choose(is.isZero, {d.zero(sign), sign}, result);
  value = d.choose(is.isInfinite, d.withSign(d.special(kInfinity, sign), sign), value);
  return d.choose(is.isInvalid, d.special(kNaN, sign), value);
}

Words Doubles::product(const Words &x, const Words &y) {
  Number a = unpack(x), b = unpack(y);
  Value signs = bitAnd(bitXor(x.high, y.high), number(kSign, x.high));
  Words bits = productHigh(a.significand, b.significand, /*isSticky=*/true);
  // The highest bit may be the second one.
  Value isLess = invert(isNegative(bits.high));
  bits = choose(isLess, Expressions::add(bits, bits), bits);
  Value e = subtract(add(a.exponent, b.exponent), number(kBias - 1, signs));
  e = subtract(e, bit(isLess));
  Words result = round(signs, e, bits, /*mayUnderflow=*/true);

  Value xZero = equal(a.significand.high, zero(signs)),
        yZero = equal(b.significand.high, zero(signs));
  Value xLarge = invert(isFinite(x)), yLarge = invert(isFinite(y));
  Specials is;
  is.isZero = either(xZero, yZero);
  is.isInfinite = either(xLarge, yLarge);
  is.isInvalid = either(either(isNaN(x), isNaN(y)), both(is.isZero, is.isInfinite));
  return withSpecials(*this, result, signs, is);
}

// Three digits of 20 bits, of which each is the rounded product of the remainder and a reciprocal
// in f32. With the significands scaled to 2^62, the error of a digit is less than 0.5 for rounding
// and 2^20 * 2^-22 for the conversions of the highest words, the reciprocal and the product: the
// remainder stays below the divisor in magnitude, and the next digit repairs what is missing.
Words Doubles::quotientBits(const Words &x, const Words &y) {
  constexpr int digit = 20, digits = 3;
  Value none = zero(x.low), two = number(2, none);
  Words rest = shiftRight(x, two), divisor = shiftRight(y, two);
  Type f32 = t.b.getF32Type();
  auto asReal = [&](Value high) { return t.convert(as(high, i32), f32); };
  Value inverse = t.apply<DivOp>(real(1 << digit, none), asReal(divisor.high));
  Words result = {none, none};
  for (int i = 0; i < digits; ++i) {
    Value estimate = t.apply<RoundNearestEvenOp>(t.apply<MulOp>(asReal(rest.high), inverse));
    Value next = word(t.convert(estimate, i32));
    Words wide = {next, signs(next)};
    Value shift = number(digit, none);
    rest = Expressions::subtract(shiftLeft(rest, shift), Expressions::multiply(wide, divisor));
    result = i == 0 ? wide : Expressions::add(shiftLeft(result, shift), wide);
  }
  Value isBelow = signs(rest.high);
  result = Expressions::add(result, Words{isBelow, isBelow});
  Value inexact = sticky(bitOr(rest.low, rest.high));
  result = shiftLeft(result, number(3, none));
  result.low = bitOr(result.low, inexact);
  return result;
}

Words Doubles::quotient(const Words &x, const Words &y) {
  Number a = unpack(x), b = unpack(y);
  Value signs = bitAnd(bitXor(x.high, y.high), number(kSign, x.high)), none = zero(signs);
  Words result = quotientBits(a.significand, b.significand);
  Value isLess = invert(isNegative(result.high));
  result = choose(isLess, Expressions::add(result, result), result);
  Value e = add(subtract(a.exponent, b.exponent), number(kBias, none));
  e = subtract(e, bit(isLess));
  Words rounded = round(signs, e, result, /*mayUnderflow=*/true);

  Value xZero = equal(a.significand.high, none), yZero = equal(b.significand.high, none);
  Value xLarge = invert(isFinite(x)), yLarge = invert(isFinite(y));
  Specials is;
  is.isZero = either(xZero, yLarge);
  is.isInfinite = either(xLarge, yZero);
  is.isInvalid =
      either(either(isNaN(x), isNaN(y)), either(both(xZero, yZero), both(xLarge, yLarge)));
  return withSpecials(*this, rounded, signs, is);
}

} // namespace systole::float64
