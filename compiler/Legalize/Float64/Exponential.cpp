// Exponential functions, logarithms and roots of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Functions.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

Words Functions::high(const Words &x, const Words &y) {
  Value none = zero(x.low);
  Words product = {multiply(x.high, y.high), multiplyHigh(x.high, y.high)};
  product = Expressions::add(product, Words{multiplyHigh(x.low, y.high), none});
  return Expressions::add(product, Words{multiplyHigh(x.high, y.low), none});
}

template <bool isAlternating>
Words Functions::evaluate(ArrayRef<uint64_t> c, const Words &x, unsigned narrow) {
  Words sum = fixed(c.front(), x);
  for (auto [step, coefficient] : llvm::enumerate(c.drop_front())) {
    Words next = fixed(coefficient, x), product;
    if (step < narrow)
      product = {zero(x.low), multiplyHigh(sum.high, x.high)};
    else
      product = high(sum, x);
    sum = isAlternating ? Expressions::subtract(next, product) : Expressions::add(product, next);
  }
  return sum;
}

Words Functions::polynomial(ArrayRef<uint64_t> c, const Words &x, unsigned narrow) {
  return evaluate<false>(c, x, narrow);
}

Words Functions::signedPolynomial(ArrayRef<uint64_t> c, const Words &x, Value isMinus) {
  Words sum = fixed(c.front(), x);
  for (uint64_t coefficient : c.drop_front())
    sum = Expressions::add(fixed(coefficient, x),
                           negateIf(isMinus, productHigh(sum, x, /*isSticky=*/false)));
  return sum;
}

Words Functions::alternating(ArrayRef<uint64_t> c, const Words &x, unsigned narrow) {
  return evaluate<true>(c, x, narrow);
}

Words Functions::lookUp(ArrayRef<uint64_t> table, Value index) {
  SmallVector<Words> entries =
      llvm::map_to_vector(table, [&](uint64_t value) { return wideNumber(value, index); });
  for (unsigned bit = 1; entries.size() > 1; bit *= 2) {
    Value isSet = isNonZero(bitAnd(index, number(bit, index)));
    SmallVector<Words> chosen;
    for (size_t i = 0; i < entries.size(); i += 2)
      chosen.push_back(i + 1 < entries.size() ? choose(isSet, entries[i + 1], entries[i])
                                              : entries[i]);
    entries = chosen;
  }
  return entries.front();
}

Words Functions::rounded(Value sign, const Number &x) {
  Value zeros = leadingZeros(x.significand), none = zero(sign);
  Words result = round(sign, subtract(x.exponent, zeros), normalize(x.significand, zeros),
                       /*mayUnderflow=*/true);
  return choose(isZero(x.significand), {none, sign}, result);
}

//===----------------------------------------------------------------------===//
// Exponential functions
//===----------------------------------------------------------------------===//

// The fraction is a sixteenth's multiple, for which there is a table, and a rest, for which the
// series of 2^rest - 1 has nine terms.
Functions::Power Functions::exp2Of(Value isMinus, Value whole, Words fraction) {
  constexpr uint64_t series[] = {0x000001b5253d395e, 0x0000162c0223a5c8, 0x0000ffe5fe2c4586,
                                 0x000a184897c363c4, 0x005761ff9e299cc4, 0x0276556df749cee5,
                                 0x0e35846b82505fc6, 0x3d7f7bff058b1d51, 0xb17217f7d1cf79ac};
  constexpr uint64_t table[] = {
      0x8000000000000000, 0x85aac367cc487b15, 0x8b95c1e3ea8bd6e7, 0x91c3d373ab11c336,
      0x9837f0518db8a96f, 0x9ef5326091a111ae, 0xa5fed6a9b15138ea, 0xad583eea42a14ac6,
      0xb504f333f9de6484, 0xbd08a39f580c36bf, 0xc5672a115506dadd, 0xce248c151f8480e4,
      0xd744fccad69d6af4, 0xe0ccdeec2a94e111, 0xeac0c6e7dd24392f, 0xf5257d152486cc2c};
  Value none = zero(whole);
  Words opposite = negate(fraction);
  Value borrow = bit(invert(isZero(fraction)));
  whole = select(isMinus, t.apply<SubtractOp>(t.apply<SubtractOp>(none, whole), borrow), whole);
  fraction = choose(isMinus, opposite, fraction);
  Words rest = {fraction.low, bitAnd(fraction.high, number(0x0fffffff, none))};
  Words more = high(polynomial(series, rest, /*narrow=*/1), rest);
  Words factor = lookUp(table, shiftRight(fraction.high, number(28, none)));
  return {whole, Expressions::add(factor, high(factor, more))};
}

// e^x is 2^y for y = x log2(e).
Functions::Power Functions::powerOf(const Words &x) {
  constexpr uint64_t log2e = 0xb8aa3b295c17f0bc;
  constexpr int largest = 10; // 2^11 overflows, and its negative vanishes
  Number a = unpack(x);
  Value none = zero(x.low);
  Value e = signedMin(subtract(a.exponent, number(kBias, none)), number(largest, none));
  // |y| = product 2^(e - 62), of which a bit of the fraction may be the last one.
  Words product = productHigh(a.significand, fixed(log2e, x), /*isSticky=*/false);
  Value by = add(e, number(2, none));
  Words fraction = shiftLeft(product, signedMax(by, none));
  fraction = shiftRight(fraction, signedMax(Expressions::subtract(none, by), none));
  Value whole = shiftRight(product, subtract(number(62, none), e)).low;
  return exp2Of(isNegative(x.high), whole, fraction);
}

Words Functions::exp(const Words &x) {
  Power is = powerOf(x);
  Value none = zero(x.low), bias = number(kBias, none);
  Words result = round(none, add(is.power, bias), is.factor, /*mayUnderflow=*/true);
  // From 2^11 on.
  Value isLarge = less(number(kBias + 10, none), exponent(x));
  Words limit = choose(isNegative(x.high), {none, none}, special(kInfinity, none));
  result = choose(isLarge, limit, result);
  return choose(isNaN(x), special(kNaN, none), result);
}

// Near 0 the series of (e^x - 1) / x; else the power less 1, of which at most two bits cancel.
Number Functions::powerLessOne(const Words &x) {
  constexpr uint64_t series[] = {0x000000000c9cba54, 0x00000000b092309d, 0x00000008f76c77fc,
                                 0x0000006b99159fd5, 0x0000049f93edde28, 0x00002e3bc74aad8e,
                                 0x0001a01a01a01a02, 0x000d00d00d00d00d, 0x005b05b05b05b05b,
                                 0x0222222222222222, 0x0aaaaaaaaaaaaaab, 0x2aaaaaaaaaaaaaab,
                                 0x8000000000000000};
  Number a = unpack(x);
  Value none = zero(x.low), isMinus = isNegative(x.high);
  Value e = subtract(a.exponent, number(kBias, none));
  // |x| of 0 bits, for e < -2.
  Words size = shiftRight(a.significand, subtract(number(uint32_t(-1), none), e));
  Words more = high(a.significand, high(signedPolynomial(series, size, isMinus), size));
  // Half of the product, so that it does not overflow.
  Value one = number(1, none);
  Words product =
      Expressions::add(shiftRight(a.significand, one), negateIf(isMinus, shiftRight(more, one)));
  Number near = {add(a.exponent, one), product};

  // 2^power factor - 1, both in units of 2^-63 if the power is negative, else of 2^(power - 63).
  Power is = powerOf(x);
  Value isLess = isNegative(is.power);
  Words unit = fixed(uint64_t(1) << 63, x);
  Words below = shiftRight(is.factor, Expressions::subtract(none, is.power));
  Words difference = choose(isLess, Expressions::subtract(unit, below),
                            Expressions::subtract(is.factor, shiftRight(unit, is.power)));
  Value scale = select(isLess, none, is.power);
  Number far = {add(scale, number(kBias, none)), difference};
  Value isNear = lessSigned(e, number(uint32_t(-2), none));
  return {select(isNear, near.exponent, far.exponent),
          choose(isNear, near.significand, far.significand)};
}

Words Functions::expm1(const Words &x) {
  Value none = zero(x.low);
  Words result = rounded(sign(x), powerLessOne(x));
  Value isLarge = less(number(kBias + 10, none), exponent(x));
  Words limit = choose(isNegative(x.high), special(kOne | kSign, none), special(kInfinity, none));
  result = choose(isLarge, limit, result);
  return choose(isNaN(x), special(kNaN, none), result);
}

Words Functions::logistic(const Words &x) {
  Words one = special(kOne, x.low), vanishing = exp(withSign(absolute(x), number(kSign, x.low)));
  Words upper = choose(isNegative(x.high), vanishing, one);
  Words result = quotient(upper, sum(one, vanishing));
  return choose(isNaN(x), special(kNaN, x.low), result);
}

// p / (p + 2) for p = e^(2 |x|) - 1.
Words Functions::tanh(const Words &x) {
  Words size = absolute(x);
  Number p = powerLessOne(sum(size, size));
  Value zeros = leadingZeros(p.significand), none = zero(x.low), one = number(1, none);
  Words bits = normalize(p.significand, zeros);
  Value e = subtract(subtract(p.exponent, zeros), number(kBias, none));
  Value right = signedMax(Expressions::subtract(none, e), none);
  Words two = shiftRight(fixed(uint64_t(1) << 63, x), signedMax(e, none));
  Words divisor = Expressions::add(shiftRight(bits, add(right, one)), two);
  Words result =
      rounded(none, {subtract(number(kBias - 1, none), right), quotientBits(bits, divisor)});
  result = choose(isZeroNumber(x), size, result);
  // From 20 on the result is 1, and the quotient would not fit.
  Value isLarge = less(constant(20, x.low), size, /*isSigned=*/false);
  result = withSign(choose(isLarge, special(kOne, x.low), result), sign(x));
  return choose(isNaN(x), special(kNaN, x.low), result);
}

/// From 2^11 on, where powers of e are not defined, both are infinite.
static Words hyperbolic(Functions &f, const Words &x, const Words &near, Value sign) {
  Value isLarge = f.less(f.number(kBias + 10, sign), f.exponent(x));
  Words result = f.Doubles::choose(isLarge, f.withSign(f.special(kInfinity, sign), sign), near);
  return f.Doubles::choose(f.isNaN(x), f.special(kNaN, sign), result);
}

Words Functions::cosh(const Words &x) {
  Value none = zero(x.low);
  Power is = powerOf(absolute(x));
  Number power = {add(is.power, number(kBias, none)), is.factor};
  Signed sum = total({none, power}, {none, over(powerOfTwo(0, none), power)});
  return hyperbolic(*this, x, rounded(none, scaled(sum.value, -1)), none);
}

// (p + p / (p + 1)) / 2 for p = e^|x| - 1.
Words Functions::sinh(const Words &x) {
  Value none = zero(x.low);
  Number p = normal(powerLessOne(absolute(x)));
  Number power = normal(total({none, p}, {none, powerOfTwo(0, none)}).value);
  Signed sum = total({none, p}, {none, over(p, power)});
  return hyperbolic(*this, x, rounded(sign(x), scaled(sum.value, -1)), sign(x));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

Functions::Logarithm Functions::reduce(const Number &x) {
  constexpr uint32_t rootOfTwo = 0xb504f333;
  const Words &bits = x.significand;
  Value none = zero(bits.low), isMinus = invert(less(bits.high, number(rootOfTwo, none)));
  Words f = choose(isMinus, negate(bits), shiftLeft(bits, number(1, none)));
  Words whole = fixed(uint64_t(1) << 62, bits);
  Words sum = choose(isMinus, shiftRight(bits, number(2, none)), shiftRight(bits, number(1, none)));
  Value zeros = leadingZeros(f);
  Value power = add(subtract(x.exponent, number(kBias, none)), bit(isMinus));
  return {power, isMinus, zeros, normalize(f, zeros), Expressions::add(whole, sum)};
}

// log(1 + f) = 2 atanh(s) for s = f / (2 + f), of which |s| < 0.172.
Number Functions::logOf(const Logarithm &x, Value &isMinus) {
  constexpr uint64_t series[] = {0x0a3d70a3d70a3d71, 0x0b21642c8590b216, 0x0c30c30c30c30c31,
                                 0x0d79435e50d79436, 0x0f0f0f0f0f0f0f0f, 0x1111111111111111,
                                 0x13b13b13b13b13b1, 0x1745d1745d1745d1, 0x1c71c71c71c71c72,
                                 0x2492492492492492, 0x3333333333333333, 0x5555555555555555};
  constexpr uint64_t ln2 = 0xb17217f7d1cf79ac;
  Value none = zero(x.zeros), one = number(1, none);
  // s is ratio 2^(-64 - zeros).
  Words ratio = quotientBits(shiftRight(x.fraction, one), x.sum);
  Words s = shiftRight(ratio, x.zeros), square = high(s, s);
  Words more = high(polynomial(series, square, /*narrow=*/5), square);
  Words half = Expressions::add(ratio, high(ratio, more));
  Number alone = {subtract(number(kBias, none), x.zeros), half};

  // Beside a power of 2, as a word and 64 bits behind the point.
  Words small = shiftRight(half, subtract(x.zeros, one));
  Value isBelow = isNegative(x.power);
  Value count = select(isBelow, t.apply<SubtractOp>(none, x.power), x.power);
  Words log2 = fixed(ln2, half);
  Words behind = {multiply(count, log2.low),
                  add(multiplyHigh(count, log2.low), multiply(count, log2.high))};
  Value whole =
      add(multiplyHigh(count, log2.high), bit(less(behind.high, multiply(count, log2.high))));
  Value differ = t.apply<XorOp>(isBelow, x.isMinus);
  Words more64 = Expressions::add(behind, small), less64 = Expressions::subtract(behind, small);
  Value carry = bit(less(more64, behind, /*isSigned=*/false));
  Value borrow = bit(less(behind, small, /*isSigned=*/false));
  behind = choose(differ, less64, more64);
  whole = select(differ, t.apply<SubtractOp>(whole, borrow), add(whole, carry));
  Value bits = subtract(number(32, none), t.apply<ClzOp>(whole));
  Words joined = shiftRight(behind, bits);
  Words top = shiftLeft(Words{whole, none}, subtract(number(64, none), bits));
  joined = {bitOr(joined.low, top.low), bitOr(joined.high, top.high)};
  Number both = {add(number(kBias - 1, none), bits), joined};

  Value isAlone = equal(x.power, none);
  isMinus = select(isAlone, x.isMinus, isBelow);
  return choose(isAlone, alone, both);
}

Words Functions::roundedLogOf(const Logarithm &x) {
  Value isMinus;
  Number value = logOf(x, isMinus);
  return rounded(shiftLeft(bit(isMinus), number(31, x.zeros)), value);
}

Words Functions::log(const Words &x) {
  Value none = zero(x.low);
  Words result = roundedLogOf(reduce(unpack(x)));
  // log(1) is +0.
  result = choose(equal(x, special(kOne, none)), {none, none}, result);
  result = choose(isZeroNumber(x), special(kInfinity | kSign, none), result);
  result = choose(equal(x, special(kInfinity, none)), x, result);
  Value isBelow = both(isNegative(x.high), invert(isZeroNumber(x)));
  return choose(either(isBelow, isNaN(x)), special(kNaN, none), result);
}

Functions::Logarithm Functions::reduceNearOne(Value isMinus, const Number &a) {
  Value none = zero(a.exponent);
  Value e = subtract(a.exponent, number(kBias, none));
  Value isNear = lessSigned(e, number(uint32_t(-2), none));
  // Near 0 the fraction is x.
  Words size = shiftRight(a.significand, subtract(number(1, none), e));
  Words two = wideNumber(uint64_t(1) << 63, none);
  Words sum = choose(isMinus, Expressions::subtract(two, size), Expressions::add(two, size));
  Value far = number(uint32_t(-1), none);
  Logarithm near = {none, isMinus, subtract(far, e), a.significand, sum};
  // Else 1 + x has at most 64 bits, or 1 does not matter.
  Value right = signedMax(e, none), left = signedMax(Expressions::subtract(none, e), none);
  Words half = wideNumber(uint64_t(1) << 62, none);
  Words positive = Expressions::add(shiftRight(half, right),
                                    shiftRight(a.significand, add(left, number(1, none))));
  Words negative =
      Expressions::subtract(half, shiftRight(a.significand, add(left, number(1, none))));
  Words total = choose(isMinus, negative, positive);
  Value zeros = leadingZeros(total);
  Logarithm other =
      reduce({subtract(add(right, number(kBias + 1, none)), zeros), normalize(total, zeros)});
  return {select(isNear, near.power, other.power), select(isNear, near.isMinus, other.isMinus),
          select(isNear, near.zeros, other.zeros), choose(isNear, near.fraction, other.fraction),
          choose(isNear, near.sum, other.sum)};
}

Words Functions::log1p(const Words &x) {
  Value none = zero(x.low), isMinus = isNegative(x.high);
  Words result = roundedLogOf(reduceNearOne(isMinus, unpack(x)));
  Words minusOne = special(kOne | kSign, none);
  result = choose(isZeroNumber(x), x, result);
  result = choose(equal(x, special(kInfinity, none)), x, result);
  result = choose(equal(x, minusOne), special(kInfinity | kSign, none), result);
  Value isBelow = both(isMinus, less(special(kOne, none), absolute(x), /*isSigned=*/false));
  return choose(either(isBelow, isNaN(x)), special(kNaN, none), result);
}

// log(1 + (d + sqrt(d (x + 1)))) for the distance d = x - 1.
Words Functions::acosh(const Words &x) {
  Value none = zero(x.low), one = number(1, none);
  Number a = unpack(x), unit = powerOfTwo(0, none);
  Number more = normal(total({none, a}, {none, unit}).value);
  Number distance = normal(total({none, a}, {one, unit}).value);
  Signed sum = total({none, distance}, {none, rootOf(normal(times(distance, more)), /*bits=*/64)});
  Words result = roundedLogOf(reduceNearOne(equal(one, none), normal(sum.value)));
  result = choose(equal(x, special(kOne, none)), {none, none}, result);
  result = choose(equal(x, special(kInfinity, none)), x, result);
  return choose(compare(Direction::GE, x, special(kOne, none)), result, special(kNaN, none));
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

Words Functions::rsqrt(const Words &x) {
  Words infinite = withSign(special(kInfinity, x.low), sign(x));
  return choose(isZeroNumber(x), infinite, quotient(special(kOne, x.low), root(x)));
}

// From the root of the significand in f32, whose exponent is a multiple of three, two of Newton's
// steps: of the first 22 bits 43, and then all.
Words Functions::cbrt(const Words &x) {
  Value none = zero(x.low);
  Number a = unpack(x);
  // The exponent is less negative than -3 * 2^10.
  constexpr int offset = 3 * 1024;
  Value e = add(a.exponent, number(offset - kBias, none));
  Value third = shiftRight(multiplyHigh(e, number(0xaaaaaaab, none)), number(1, none));
  Value rest = subtract(e, multiply(third, number(3, none)));
  // In [1, 8)
  Words scaled = {bitOr(shiftRight(a.significand.low, number(kUnused, none)),
                        shiftLeft(a.significand.high, number(32 - kUnused, none))),
                  add(shiftRight(a.significand.high, number(kUnused, none)),
                      shiftLeft(add(rest, number(kBias - 1, none)), number(kFraction, none)))};
  Value rough = t.apply<CbrtOp>(as(toFloat(scaled, 32, 23), t.b.getF32Type()));
  Words y = fromFloat(word(rough));
  for (int step = 0; step < 2; ++step) {
    Words correction = difference(y, quotient(scaled, product(y, y)));
    y = difference(y, product(correction, constant(1.0 / 3, none)));
  }
  Value shift = subtract(third, number(offset / 3, none));
  y.high = bitOr(add(y.high, shiftLeft(shift, number(kFraction, none))), sign(x));
  y = choose(either(isZeroNumber(x), invert(isFinite(x))), x, y);
  return choose(isNaN(x), special(kNaN, none), y);
}

} // namespace systole::float64
