// Trigonometric functions of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Functions.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// |x| 2 / pi modulo 4 is a product with the bits of 2 / pi from those on that are not multiples of
// 4. The product with seven words, without the two highest ones, has 128 bits behind the point: the
// smallest rest has 62 zeros.
Functions::Angle Functions::angleOf(const Words &x) {
  constexpr uint32_t twoOverPi[] = {
      0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
      0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
      0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
      0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
      0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
      0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
  constexpr int words = 7, levels = 6;
  constexpr uint64_t halfPi = 0xc90fdaa22168c235;
  Number a = unpack(x);
  Value none = zero(x.low), e = subtract(a.exponent, number(kBias, none));
  Words bits = shiftRight(a.significand, number(2, none));
  Value place = signedMax(add(e, number(1, none)), none);
  Value first = shiftRight(place, number(5, none)), by = bitAnd(place, number(31, none));

  // The words from `first` on, by its bits.
  SmallVector<Value> window =
      llvm::map_to_vector(twoOverPi, [&](uint32_t value) { return number(value, none); });
  for (int level = levels - 1; level >= 0; --level) {
    size_t step = size_t(1) << level;
    Value isSet = isNonZero(bitAnd(first, number(uint32_t(step), none)));
    SmallVector<Value> chosen;
    for (size_t i = 0; i < step - 1 + words && i < window.size(); ++i)
      chosen.push_back(i + step < window.size() ? select(isSet, window[i + step], window[i])
                                                : window[i]);
    window = chosen;
  }

  // The product, the lowest word first.
  SmallVector<Value> product(words, none);
  const Value magnitude[] = {bits.low, bits.high};
  for (int i = 0; i < words; ++i) {
    Value factor = window[words - 1 - i], carry = none;
    for (auto [j, word] : llvm::enumerate(magnitude)) {
      if (i + j >= words)
        continue;
      Words sum = Expressions::add(Words{multiply(factor, word), multiplyHigh(factor, word)},
                                   Words{product[i + j], none});
      sum = Expressions::add(sum, Words{carry, none});
      product[i + j] = sum.low;
      carry = sum.high;
    }
    if (i + 2 < words)
      product[i + 2] = carry;
  }
  // Four words, with two bits before the point.
  auto word = [&](int i) {
    Value low = shiftRight(product[i - 1], subtract(number(32, none), by));
    return bitOr(shiftLeft(product[i], by), low);
  };
  Value top = word(words - 1);
  Value turns = shiftRight(top, number(30, none));
  SmallVector<Value> rest = {word(words - 4), word(words - 3), word(words - 2), top};
  for (int i = 3; i >= 0; --i) {
    Value below = i > 0 ? shiftRight(rest[i - 1], number(30, none)) : none;
    rest[i] = bitOr(shiftLeft(rest[i], number(2, none)), below);
  }
  Value isMinus = isNegative(rest[3]);
  turns = add(turns, bit(isMinus));
  Value flip = signs(rest[3]);
  Words upper = {bitXor(rest[2], flip), bitXor(rest[3], flip)};
  Words lower = {bitXor(rest[0], flip), bitXor(rest[1], flip)};
  Value zeros = leadingZeros(upper);
  Words lowest = shiftRight(lower, subtract(number(64, none), zeros));
  Words high64 = shiftLeft(upper, zeros);
  high64 = {bitOr(high64.low, lowest.low), bitOr(high64.high, lowest.high)};
  Words far = high(high64, fixed(halfPi, x));

  // Below 1/2 there is no turn.
  Value isNear = lessSigned(e, number(uint32_t(-1), none));
  return {select(isNear, none, turns), both(isMinus, invert(isNear)),
          select(isNear, Expressions::subtract(none, e), zeros),
          choose(isNear, a.significand, far)};
}

static Words squared(Functions &f, const Words &rest, Value zeros) {
  // Of 0 bits.
  Words size = f.shiftLeft(f.shiftRight(rest, zeros), f.number(1, zeros));
  return f.productHigh(size, size, /*isSticky=*/false);
}

Number Functions::sineOf(const Angle &angle) {
  constexpr uint64_t series[] = {0x0000000000000098, 0x000000000000ca96, 0x0000000000d73f9f,
                                 0x00000000b092309d, 0x0000006b99159fd5, 0x00002e3bc74aad8e,
                                 0x000d00d00d00d00d, 0x0222222222222222, 0x2aaaaaaaaaaaaaab};
  Words square = squared(*this, angle.rest, angle.zeros);
  Words less = high(alternating(series, square, /*narrow=*/0), square);
  Words value = Expressions::subtract(angle.rest, high(angle.rest, less));
  return {subtract(number(kBias, angle.zeros), angle.zeros), value};
}

Number Functions::cosineOf(const Angle &angle) {
  constexpr uint64_t series[] = {0x0000000000000008, 0x0000000000000b41, 0x00000000000d73fa,
                                 0x000000000c9cba54, 0x00000008f76c77fc, 0x0000049f93edde28,
                                 0x0001a01a01a01a02, 0x005b05b05b05b05b, 0x0aaaaaaaaaaaaaab,
                                 0x8000000000000000};
  Words square = squared(*this, angle.rest, angle.zeros);
  Words less = high(alternating(series, square, /*narrow=*/0), square);
  Words one = fixed(uint64_t(1) << 63, square);
  return {number(kBias, angle.zeros),
          Expressions::subtract(one, shiftRight(less, number(1, angle.zeros)))};
}

Words Functions::wave(const Words &x, bool isCosine) {
  Angle angle = angleOf(x);
  Number sine = sineOf(angle), cosine = cosineOf(angle);
  Value none = zero(x.low), one = number(1, none);
  Value turns = isCosine ? add(angle.turns, one) : angle.turns;
  Value isOdd = isNonZero(bitAnd(turns, one));
  // The sine of a negative rest is negative, and so are both after half a turn.
  Value half = shiftLeft(bitAnd(turns, number(2, none)), number(30, none));
  Value minus = select(isOdd, none, shiftLeft(bit(angle.isMinus), number(31, none)));
  Value sign = bitXor(half, minus);
  if (!isCosine)
    sign = bitXor(sign, this->sign(x));
  Words result = rounded(sign, choose(isOdd, cosine, sine));
  return choose(isFinite(x), result, special(kNaN, none));
}

Words Functions::tan(const Words &x) {
  Angle angle = angleOf(x);
  Number sine = sineOf(angle), cosine = cosineOf(angle);
  Value none = zero(x.low), one = number(1, none);
  sine = normal(sine);
  cosine = normal(cosine);
  Value isOdd = isNonZero(bitAnd(angle.turns, one));
  Number ratio = over(choose(isOdd, cosine, sine), choose(isOdd, sine, cosine));
  Value minus = t.apply<XorOp>(isOdd, angle.isMinus);
  Value sign = bitXor(shiftLeft(bit(minus), number(31, none)), this->sign(x));
  Words result = rounded(sign, ratio);
  result = choose(isZeroNumber(x), x, result);
  return choose(isFinite(x), result, special(kNaN, none));
}

// The quotient t of the smaller and the larger number is near one of the eighths c, and
// atan(t) = atan(c) + atan((t - c) / (1 + t c)), of which the last argument is at most 1/16.
Words Functions::atan2(const Words &y, const Words &x) {
  constexpr uint64_t table[] = {0x0000000000000000, 0x1fd5ba9aac2f6dc6, 0x3eb6ebf25901bac5,
                                0x5bd86507937bc23a, 0x76b19c1586ed3da3, 0x8f005d5ef7f59f9b,
                                0xa4bc7d1934f70924, 0xb8053e2bc2319e74, 0xc90fdaa22168c235};
  constexpr uint64_t series[] = {0x0f0f0f0f0f0f0f0f, 0x1111111111111111, 0x13b13b13b13b13b1,
                                 0x1745d1745d1745d1, 0x1c71c71c71c71c72, 0x2492492492492492,
                                 0x3333333333333333, 0x5555555555555555};
  constexpr uint64_t halfPi = 0x6487ed5110b4611a, pi = 0xc90fdaa22168c235; // of 2 bits
  Value none = zero(x.low), one = number(1, none);
  // Infinite numbers are as 1 beside 0, or beside 1.
  Value yLarge = invert(isFinite(y)), xLarge = invert(isFinite(x));
  Value anyLarge = either(yLarge, xLarge);
  auto size = [&](const Words &value, Value isLarge) {
    Words limited = choose(isLarge, special(kOne, none), {none, none});
    return choose(anyLarge, limited, absolute(value));
  };
  Words ySize = size(y, yLarge), xSize = size(x, xLarge);
  Value isSteep = less(xSize, ySize, /*isSigned=*/false);
  Number small = unpack(choose(isSteep, xSize, ySize));
  Number large = unpack(choose(isSteep, ySize, xSize));
  // t is ratio 2^(-63 - by).
  Words ratio = quotientBits(small.significand, large.significand);
  Value by = subtract(large.exponent, small.exponent);
  Words tangent = shiftRight(ratio, by); // of 1 bit
  Words raised = Expressions::add(tangent, fixed(uint64_t(1) << 59, x));
  Value index = shiftRight(raised.high, number(28, none));
  Words eighths = {none, shiftLeft(index, number(28, none))};
  Value isBelow = less(tangent, eighths, /*isSigned=*/false);
  Words distance = Expressions::subtract(tangent, eighths);
  distance = negateIf(isBelow, distance);
  Words divisor = Expressions::add(high(tangent, eighths), fixed(uint64_t(1) << 62, x));
  Words argument = quotientBits(shiftLeft(distance, number(3, none)), divisor);
  Value isDirect = equal(index, none);
  Words doubled = shiftLeft(tangent, one);
  argument = choose(isDirect, doubled, shiftRight(argument, number(3, none)));
  Words square = high(argument, argument);
  Words less64 = high(alternating(series, square, /*narrow=*/0), square);
  Words direct = Expressions::subtract(ratio, high(ratio, less64));
  Words added = Expressions::subtract(argument, high(argument, less64));
  Words base = lookUp(table, index);
  Words angle = choose(isBelow, Expressions::subtract(base, added), Expressions::add(base, added));

  // Of 2 bits, after reflections.
  Value isLeft = isNegative(x.high);
  Words turned = shiftRight(angle, number(2, none));
  turned = choose(isSteep, Expressions::subtract(fixed(halfPi, x), turned), turned);
  turned = choose(isLeft, Expressions::subtract(fixed(pi, x), turned), turned);
  Value isTurned = either(isSteep, isLeft);
  Number result = {subtract(number(kBias, none), by), direct};
  auto replace = [&](Value mask, Value exponent, const Words &bits) {
    result = {select(mask, exponent, result.exponent), choose(mask, bits, result.significand)};
  };
  replace(invert(isDirect), number(kBias - 1, none), angle);
  replace(isTurned, number(kBias + 1, none), turned);
  Words rounded64 = rounded(none, result);
  // 0 divided by 0.
  Words flat = choose(isLeft, constant(3.141592653589793, none), {none, none});
  rounded64 = choose(isZero(ySize), flat, rounded64);
  rounded64 = withSign(rounded64, sign(y));
  return choose(either(isNaN(y), isNaN(x)), special(kNaN, none), rounded64);
}

} // namespace systole::float64
