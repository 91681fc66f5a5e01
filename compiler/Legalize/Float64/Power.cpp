// Powers of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Long.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// With r near the reciprocal of the significand m, log2(m) = log2(1 / r) + log2(m r). The last
// logarithm is that of 1 + u for an exact u of at most 0.046: u log2(e) (1 - u / 2 + ...), of which
// only the first product needs 96 bits.
Functions::Magnitude Functions::log2Of(const Words &x) {
  constexpr uint32_t rootOfTwo = 0xb504f333;
  // For m near 8/16 to 23/16: r in units of 2^-10, and log2(1 / r).
  constexpr uint64_t reciprocals[] = {0,    0,   0,   1489, 1365, 1260, 1170, 1092,
                                      1024, 964, 910, 862,  819,  780,  745,  712};
  constexpr uint32_t logarithms[][16] = {
      {0, 0, 0, 0xeae9f40d, 0x99a1f1ce, 0x7070fc4b, 0x245fe368, 0xbe51cdcb, 0, 0x3e42925b,
       0x39ad03d8, 0x72eda08e, 0x1e46bbc1, 0xc46af572, 0x1674f2cf, 0xb987b42e},
      {0, 0, 0, 0xa32321a0, 0x12ef52ca, 0x535f2994, 0x979e665e, 0x475d7ec3, 0, 0x067156b4,
       0x0ec5da6a, 0xb59039b7, 0x4b86f724, 0x9374edfd, 0x18f5f785, 0x62acb7ce},
      {0, 0, 0, 0x75ba2b3a, 0x95d7303a, 0xb3671a72, 0xcec5e5ea, 0xe8411169, 0, 0x164ce26c,
       0x2b974a74, 0x3f9acefc, 0x5280f72f, 0x64860024, 0x757ab135, 0x86365578},
      {0, 0, 0, ~0u, ~0u, ~0u, ~0u, ~0u, 0, 0, 0, 0, 0, 0, 0, 0}};
  constexpr uint64_t series[] = {0x1111111111111111, 0x1249249249249249, 0x13b13b13b13b13b1,
                                 0x1555555555555555, 0x1745d1745d1745d1, 0x199999999999999a,
                                 0x1c71c71c71c71c72, 0x2000000000000000, 0x2492492492492492,
                                 0x2aaaaaaaaaaaaaab, 0x3333333333333333, 0x4000000000000000,
                                 0x5555555555555555, 0x8000000000000000};
  Long l(*this);
  Number a = unpack(x);
  Value none = zero(x.low), one = number(1, none);
  const Words &bits = a.significand;
  // m is in [sqrt(1/2), sqrt(2)).
  Value isHalved = invert(less(bits.high, number(rootOfTwo, none)));
  Value power = add(subtract(a.exponent, number(kBias, none)), bit(isHalved));
  Words m = choose(isHalved, shiftRight(bits, number(kUnused, none)),
                   shiftRight(bits, number(kUnused - 1, none)));
  // The nearest sixteenth of m, which has 53 bits behind the point.
  Value index = shiftRight(add(shiftRight(m.high, number(16, none)), one), number(1, none));
  index = subtract(index, number(8, none));
  Words u = Expressions::multiply(m, lookUp(reciprocals, index));
  u = Expressions::subtract(u, fixed(uint64_t(1) << 63, x));
  Value isMinus = isNegative(u.high);
  u = shiftLeft(negateIf(isMinus, u), one);
  Value zeros = leadingZeros(u);
  Words leading = normalize(u, zeros);

  Words rest = productHigh(signedPolynomial(series, u, invert(isMinus)), u, /*isSticky=*/false);
  Digits log2e = {number(0xbe87fed0, none), number(0x5c17f0bb, none), number(0xb8aa3b29, none)};
  // 2^(-95 - zeros)
  Digits product = highest(l.multiply({leading.low, leading.high}, log2e));
  Words more = productHigh(Words{product[1], product[2]}, rest, /*isSticky=*/false);
  product = l.add(product, l.negateIf(invert(isMinus), {none, more.low, more.high}));

  // The sum with the other logarithms, as a word and 96 bits behind the point.
  Digits small = l.shiftRight(product, t.apply<MinOp>(subtract(zeros, one), number(127, none)));
  small.push_back(none);
  Digits total;
  for (ArrayRef<uint32_t> words : logarithms)
    total.push_back(
        lookUp(llvm::map_to_vector(words, [](uint32_t v) { return uint64_t(v); }), index).low);
  total = l.add(l.add(total, {none, none, none, power}), l.negateIf(isMinus, small));
  Value isBelow = isNegative(total[3]);
  total = l.negateIf(isBelow, total);
  Value left = leadingZeros({total[2], total[3]});
  total = highest(l.shiftLeft(total, left));

  Value isAlone = both(equal(power, none), equal(index, number(8, none)));
  Value scale = select(isAlone, t.apply<SubtractOp>(none, zeros), subtract(number(31, none), left));
  Digits chosen = l.choose(isAlone, product, total);
  return {select(isAlone, isMinus, isBelow), scale, chosen[0], chosen[1], chosen[2]};
}

Words Functions::pow(const Words &x, const Words &y) {
  Long l(*this);
  Value none = zero(x.low), one = number(1, none);
  Magnitude log2 = log2Of(x);
  Number factor = unpack(y);
  Digits product = highest(l.multiply({factor.significand.low, factor.significand.high},
                                      {log2.low, log2.middle, log2.high}));
  Value yMinus = isNegative(y.high);
  Value isBelow = t.apply<XorOp>(log2.isMinus, yMinus);
  // y log2(x) is the product 2^(e - 94), and at least 2^(e - 1).
  Value e = add(subtract(factor.exponent, number(kBias, none)), log2.scale);
  Value isLarge = both(lessSigned(number(11, none), e), isNonZero(product[2]));
  Value by = signedMax(signedMin(subtract(number(30, none), e), number(127, none)), none);
  Digits parts = l.shiftRight(product, by);
  isLarge = either(isLarge, less(number(2047, none), parts[2]));
  Power is = exp2Of(isBelow, parts[2], {parts[0], parts[1]});
  Words result = round(none, add(is.power, number(kBias, none)), is.factor, /*mayUnderflow=*/true);
  Words infinite = special(kInfinity, none), nothing = {none, none};
  result = choose(isLarge, choose(isBelow, nothing, infinite), result);

  // Zero and infinite bases.
  Value xZero = isZeroNumber(x), xLarge = invert(isFinite(x));
  Value vanishes = t.apply<XorOp>(xLarge, invert(yMinus));
  result = choose(either(xZero, xLarge), choose(vanishes, nothing, infinite), result);
  // Integer exponents: bits behind the point, and the last one before.
  Words size = significand(y, sticky(exponent(y)));
  Value behind = subtract(number(kBias + 52, none), exponent(y));
  Value isEven = lessSigned(behind, none);
  behind = signedMax(signedMin(behind, number(54, none)), none);
  Words rest = shiftLeft(size, subtract(number(64, none), behind));
  Value isInteger = isZero(rest);
  Value isOdd = isNonZero(bitAnd(shiftRight(size, behind).low, one));
  isOdd = both(both(isOdd, isInteger), invert(isEven));
  Value xMinus = isNegative(x.high);
  Value isInvalid = both(both(xMinus, invert(isInteger)), invert(either(xZero, xLarge)));
  result = withSign(result, select(isOdd, sign(x), none));
  result = choose(either(either(isInvalid, isNaN(x)), isNaN(y)), special(kNaN, none), result);
  // x^0 and 1^y are 1 for all others, and so is -1 to an infinite power.
  Words unit = special(kOne, none);
  Value isUnit =
      both(equal(absolute(x), unit), either(invert(xMinus), equal(absolute(y), infinite)));
  return choose(either(isZeroNumber(y), isUnit), unit, result);
}

} // namespace systole::float64
