// Square roots, remainders and rounding of IEEE 754 binary64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Doubles.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// With m the significand, in [1, 4) so that its exponent is even, s_k is near sqrt(m) 2^(20 k) and
// r_k = m 2^(40 k) - s_k^2 is the remainder. The next digit is d = r_k 2^20 / (2 s_k), rounded, and
// r_(k+1) = r_k 2^40 - (2 s_k 2^20 + d) d. The error of a digit is that of the f32 reciprocal, of
// which 2^20 times 2^-22 is less than a half: digits of exact roots are exact.
Number Doubles::rootOf(const Number &a, unsigned bits) {
  constexpr int digit = 20;
  Value none = zero(a.exponent), one = number(1, none), two = number(2, none);
  Value isOdd = bitAnd(add(a.exponent, one), one);
  // m 2^61
  Words m = shiftRight(a.significand, two);
  m = choose(isNonZero(isOdd), Expressions::add(m, m), m);
  Type f32 = t.b.getF32Type();
  auto scaled = [&](Value value, double by) { return t.apply<MulOp>(value, real(by, none)); };
  auto asReal = [&](const Words &value) {
    Value high = scaled(t.convert(as(value.high, i32), f32), 0x1p32);
    return t.apply<AddOp>(high, t.convert(value.low, f32));
  };
  auto digitOf = [&](Value estimate) {
    Value next = word(t.convert(t.apply<RoundNearestEvenOp>(estimate), i32));
    return Words{next, signs(next)};
  };
  Value rough = t.apply<SqrtOp>(scaled(t.convert(m.high, f32), 0x1p-29));
  Words s = digitOf(scaled(rough, 1 << digit));
  // The rest 2^52, to which the last bits of m do not count; the next one has them.
  constexpr unsigned last = 9;
  Words square = Expressions::multiply(s, s);
  Words rest =
      Expressions::subtract(shiftRight(m, number(last, none)), shiftLeft(square, number(12, none)));
  for (bool isFirst : {true, false}) {
    double scale = isFirst ? 0x1p-12 : 1;
    Value quotient = t.apply<DivOp>(asReal(rest), asReal(s));
    Words next = digitOf(scaled(quotient, scale * (1 << (digit - 1))));
    Words factor = Expressions::add(shiftLeft(s, number(digit + 1, none)), next);
    rest = shiftLeft(rest, number(isFirst ? 28 : 40, none));
    if (isFirst && bits > 64 - last) {
      Value lowest = bitAnd(m.low, number((1 << last) - 1, none));
      rest.low = bitOr(rest.low, shiftLeft(lowest, number(28 - last, none)));
    }
    rest = Expressions::subtract(rest, Expressions::multiply(factor, next));
    s = Expressions::add(shiftLeft(s, number(digit, none)), next);
  }
  Value isBelow = signs(rest.high);
  s = shiftLeft(Expressions::add(s, Words{isBelow, isBelow}), number(3, none));
  s.low = bitOr(s.low, sticky(bitOr(rest.low, rest.high)));
  Value half = as(subtract(subtract(a.exponent, number(kBias, none)), isOdd), i32);
  half = word(t.apply<ShiftRightArithmeticOp>(half, as(one, i32)));
  return {add(half, number(kBias, none)), s};
}

Words Doubles::root(const Words &x) {
  Value none = zero(x.low);
  Number a = rootOf(unpack(x), /*bits=*/53);
  Words result = round(none, a.exponent, a.significand, /*mayUnderflow=*/false);
  result = choose(equal(x, special(kInfinity, none)), x, result);
  result = choose(either(isNegative(x.high), isNaN(x)), special(kNaN, none), result);
  return choose(isZeroNumber(x), x, result);
}

// The significand as an integer of units, which are shifted by the number of bits behind the point.
Words Doubles::toIntegral(const Words &x, Rounding rounding) {
  Value none = zero(x.low), one = number(1, none);
  Value field = exponent(x);
  Words bits = significand(x, sticky(field));
  Value by = subtract(number(kBias + 52, none), field);
  by = signedMax(signedMin(by, number(54, none)), none);
  Words whole = shiftRight(bits, by);
  // In units of 2^-64.
  Words rest = shiftLeft(bits, subtract(number(64, none), by));
  Value hasRest = isNonZero(bitOr(rest.low, rest.high));
  Value half = number(kSign, none);
  Value isUp;
  switch (rounding) {
  case Rounding::Down:
    isUp = both(isNegative(x.high), hasRest);
    break;
  case Rounding::Up:
    isUp = both(invert(isNegative(x.high)), hasRest);
    break;
  case Rounding::Away:
    isUp = isNegative(rest.high);
    break;
  case Rounding::Even: {
    Value isHalf = both(equal(rest.high, half), equal(rest.low, none));
    Value isOdd = isNonZero(bitAnd(whole.low, one));
    isUp = both(isNegative(rest.high), either(isOdd, invert(isHalf)));
    break;
  }
  }
  whole = Expressions::add(whole, Words{bit(isUp), none});
  Value isSmall = less(field, number(kBias, none));
  Words large = shiftLeft(whole, by);
  large.high = add(large.high, shiftLeft(subtract(field, one), number(kFraction, none)));
  Words small = choose(isNonZero(whole.low), special(kOne, none), {none, none});
  Words result = withSign(choose(isSmall, small, large), sign(x));
  // Without bits behind the point, and infinite.
  result = choose(less(field, number(kBias + 52, none)), result, x);
  return choose(isNaN(x), special(kNaN, none), result);
}

Words Doubles::reduce(const Words &x, unsigned exponentBits, unsigned mantissaBits) {
  Value none = zero(x.low);
  Words result = absolute(x);
  if (mantissaBits < 52) {
    // Adds half a unit in the last place, less one if the last bit is even.
    unsigned dropped = 52 - mantissaBits;
    Value last = bitAnd(shiftRight(result, number(dropped, none)).low, number(1, none));
    result = Expressions::add(result, wideNumber((uint64_t(1) << (dropped - 1)) - 1, none));
    result = Expressions::add(result, Words{last, none});
    uint64_t mask = -(uint64_t(1) << dropped);
    result = {bitAnd(result.low, number(uint32_t(mask), none)),
              bitAnd(result.high, number(uint32_t(mask >> 32), none))};
  }
  if (exponentBits < 11) {
    // Flushes subnormal values to zero.
    int most = (1 << (exponentBits - 1)) - 1;
    Value field = shiftRight(result.high, number(kFraction, none));
    Value isLarge = less(number(kBias + most, none), field);
    Value isSmall = less(field, number(kBias - most + 1, none));
    result = choose(isLarge, special(kInfinity, none), result);
    result = choose(isSmall, {none, none}, result);
  }
  return choose(isNaN(x), x, withSign(result, sign(x)));
}

// A step takes up to 20 bits of the quotient, as a division does, and the remainder of the last one
// is that of all. There are as many steps as the largest quotient of all elements takes.
Words Doubles::remainder(const Words &x, const Words &y) {
  constexpr int digit = 20;
  Number a = unpack(x), b = unpack(y);
  Value none = zero(x.low), two = number(2, none);
  Words divisor = shiftRight(b.significand, two), rest = shiftRight(a.significand, two);
  Value places = subtract(a.exponent, b.exponent), isSmall = isNegative(places);
  places = select(isSmall, none, places);
  Type f32 = t.b.getF32Type();
  auto asReal = [&](Value high) { return t.convert(as(high, i32), f32); };
  Value inverse = t.apply<DivOp>(real(1, none), asReal(divisor.high));
  auto reduced = [&](const Words &value, Value by) {
    Value scale = as(shiftLeft(add(by, number(127, none)), number(23, none)), f32);
    Value estimate = t.apply<MulOp>(t.apply<MulOp>(asReal(value.high), inverse), scale);
    Value next = word(t.convert(t.apply<RoundNearestEvenOp>(estimate), i32));
    return Expressions::subtract(shiftLeft(value, by),
                                 Expressions::multiply(Words{next, signs(next)}, divisor));
  };
  rest = reduced(rest, none);
  SmallVector<Value> end = repeatWhilePositive({places, rest.low, rest.high}, [&](ValueRange now) {
    Value by = t.apply<MinOp>(now[0], number(digit, none));
    Words next = reduced({now[1], now[2]}, by);
    return SmallVector<Value>{t.apply<SubtractOp>(now[0], by), next.low, next.high};
  });
  rest = {end[1], end[2]};
  rest = choose(isNegative(rest.high), Expressions::add(rest, divisor), rest);
  Value zeros = leadingZeros(rest);
  Words result = round(sign(x), subtract(add(b.exponent, two), zeros), normalize(rest, zeros),
                       /*mayUnderflow=*/true);
  result = choose(isZero(rest), {none, sign(x)}, result);
  result = choose(either(isSmall, either(isZeroNumber(x), invert(isFinite(y)))), x, result);
  Value isInvalid =
      either(either(isNaN(x), isNaN(y)), either(invert(isFinite(x)), isZeroNumber(y)));
  return choose(isInvalid, special(kNaN, none), result);
}

// Elements whose first value is 0 stay as they are.
SmallVector<Value> Doubles::repeatWhilePositive(ArrayRef<Value> values,
                                                function_ref<SmallVector<Value>(ValueRange)> body) {
  SmallVector<Type> types(ValueRange(values).getTypes());
  SmallVector<Location> locations(types.size(), t.loc);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(values[0]).getRank()));
  auto loop = WhileOp::create(t.b, t.loc, types, values);
  OpBuilder::InsertionGuard guard(t.b);
  Block *cond = t.b.createBlock(&loop.getCond(), {}, types, locations);
  Value left = as(cond->getArgument(0), i32);
  Value most = dims.empty() ? left : t.reduce<MaxOp>(left, t.number(i32, 0), dims);
  ReturnOp::create(t.b, t.loc, t.compare(Direction::GT, most, t.number(i32, 0)));
  Block *block = t.b.createBlock(&loop.getBody(), {}, types, locations);
  ReturnOp::create(t.b, t.loc, body(block->getArguments()));
  return SmallVector<Value>(loop.getResults());
}

} // namespace systole::float64
