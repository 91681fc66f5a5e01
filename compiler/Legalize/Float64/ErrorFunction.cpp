// The error function of f64, its complement and its inverse.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Long.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// Coefficients are those of interpolations in Chebyshev nodes, from the constant one on, in units
// of 2^-64; all but the constant ones plus 1/2.

// erf(x) / x as a function of x^2 - 1/2 for x < 1, and (x + 3) e^(x^2) erfc(x) as one of
// 4 / (x + 3) less its value in the middle for x from 1 to 32.
constexpr uint64_t kErf[][23] = {
    {0x7b947ac8f2dfa989, 0x5c05d3adbd5c0521, 0x8a2a1b400bd820fa, 0x7da8dfa909a1bb7e,
     0x80720aa89277d09f, 0x7fed9c66e47e29b6, 0x800290cc717953f4, 0x7fffaf585b1d1481,
     0x800008d6af6e4753, 0x7fffff2038d28deb, 0x8000001428f34067, 0x7ffffffe55292ec6,
     0x80000000209fe2d8, 0x7ffffffffdac64c8, 0x8000000000278040, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000},
    {0x3c628d8136ad9745, 0xc468566b3d00a3ab, 0xc192df36c8e3a6b9, 0xb3aa8b46c156546c,
     0x9f9204c27dec32e5, 0x8cdc23f386b18b48, 0x814ba61db2c0d120, 0x7db21a5e46e68a5d,
     0x7eab3d832f48bbee, 0x802e6e931e2c9630, 0x807899fa8938e1b5, 0x800c8a6e54d9c531,
     0x7fd68ee13066843b, 0x7ff61e7279c1868c, 0x80101e960044376a, 0x800491f85affc2d2,
     0x7ff8b56aeaed4a38, 0x7ffe591d570dbcb9, 0x8003a791b3506c15, 0x80005f6770509a78,
     0x7ffe383cde02282b, 0x800001136f1910ed, 0x800098f5099a1244},
};
constexpr int kErfScales[] = {1, 2};
constexpr uint64_t kErfMiddle = 0x4750750750750750; // of 1 bit
constexpr uint64_t kErfMost = 4;                    ///< from 2^5 on erfc vanishes

// erf_inv(x) / x as a function of w = -log(1 - x^2), for w below 2 and in the binades from 2 to 64.
constexpr uint64_t kErfInv[][23] = {
    {0x904dcddb9f1ca650, 0xbf71f998c0ca3fea, 0x822d262261f5a00f, 0x7d910c8307c61ec7,
     0x80347e1e0946b3cb, 0x80280ebcb00ad347, 0x7ff7088ff94c61bb, 0x7ffda118127859b4,
     0x800106ac90807287, 0x800019f1334f9429, 0x7fffe605c151c1b5, 0x80000048ed908881,
     0x800002528cec9999, 0x7fffffbe6deb29da, 0x7fffffcff7055f0d, 0x8000000ac4e8d2d0,
     0x80000003638f7715, 0x7ffffffeaace6171, 0x7fffffffd0813e72, 0x80000000245280d5,
     0x8000000000eb3a24, 0x7ffffffffce3a521, 0x800000000031047d},
    {0xcfd03976b96ddb2f, 0xbddb7d7b9ce7cce1, 0x7d0fe421c581b297, 0x7f24ccca756a5b58,
     0x806644b0128fd530, 0x7ff2aa76171d9574, 0x7ffc558c6bf47e63, 0x8001e32b0d53782e,
     0x7fffcd20fb906187, 0x7fffe884c5c259e5, 0x8000098aace89b02, 0x7fffff75ca628076,
     0x7fffff6791080236, 0x8000002f7a690676, 0x800000003a98f1c6, 0x7ffffffc472c065b,
     0x80000000e242146a, 0x80000000134cb9c0, 0x7fffffffe9a90c5a, 0x8000000003e31749,
     0x8000000000cff4af, 0x7fffffffff88c9f5, 0x80000000000b4cd6},
    {0x9254c711b2c18932, 0xb3217607c2c8e273, 0x79319256677909f0, 0x810c122299eb99bf,
     0x803b5d0a02631c31, 0x7fa8066f025a9f46, 0x802fca6d89930585, 0x7ff1f9b176862de9,
     0x7fff86f465dd3a45, 0x800314f1ceb022d3, 0x7ffe2a61ca8f8314, 0x800087b015ed7ab2,
     0x80000900c4820ee0, 0x7fffdf7991eb0a2c, 0x8000125b33d9d24f, 0x7ffffb1c21b62052,
     0x7fffff5cf5e35ec6, 0x8000016019dcd027, 0x7fffff4579854380, 0x8000002da3e46e46,
     0x8000000a6d72bb9c, 0x7fffffef62f59db5, 0x80000006619418d2},
    {0xd3282cf404c0f980, 0xca6d6a6173adfb0b, 0x73e50f89294ffd0c, 0x83d0be99a257602f,
     0x7e915dca90239e93, 0x8088d43baccac4dd, 0x7fd9989c815bb13a, 0x7ffc12d40b34baf1,
     0x8012a3a75cd8ef4c, 0x7fec779c3ce26b68, 0x800eaaf02620e49b, 0x7ff73c88d4c21d2e,
     0x800414f52f7c3429, 0x7ffeca6d0aed39ab, 0x7fffd94d3d25587b, 0x800090dff1c0b92b,
     0x7fff793e9b5dfdda, 0x8000579cd74d0388, 0x7fffd2cda23d6002, 0x800014d4c209fab3,
     0x7ffffbce90e6ce05, 0x7ffff741007d37cb, 0x800006ffc99914fb},
    {0x97ee56d7047f61fe, 0xb4cb8e88c69db395, 0x7731e81c40330ae6, 0x82e685e52e72783c,
     0x7ed066a1fcdbd548, 0x808a5e1b769e8ea2, 0x7fbcade4dc401f34, 0x80223385d1dbf7e6,
     0x7fee1ab366d1ea12, 0x8009897c4d7a6522, 0x7ffae4030d4aaef9, 0x8002b223574d2ab5,
     0x7ffea6ea731612d7, 0x800095771e9b3668, 0x7fffd87bc43628a5, 0x7fffed5bc3bfff29,
     0x80002e6b15fc7550, 0x7fffc63de8e8b3b6, 0x800034af367aa4ae, 0x7fffddf506df73eb,
     0x80001c627aae5967, 0x7fffdcba683953a2, 0x800013dda87d4484},
    {0xd97dc5c88b9354f3, 0xca8aa00ccbabcf58, 0x737d1d11d9c0a492, 0x842c142c82899f46,
     0x7e447b577c3b43b8, 0x80cdb9890c846a54, 0x7f99f6a071707511, 0x8034ef3663641214,
     0x7fe3a3c49f7823c2, 0x800f9117fe34434e, 0x7ff74afa6d604c93, 0x8004f1baa5c79288,
     0x7ffd28572fee2df2, 0x8001a6b1b0a5a77e, 0x7fff0857b91c0fa6, 0x800091deb9c1cefe,
     0x7fffa957f3c4f283, 0x8000352ee7710fdb, 0x7fffe010b9428ba8, 0x80000f4a062b48b8,
     0x7ffff6be0501e65d, 0x80000bfb26a21ae1, 0x7ffff8b8a9e099eb},
};
constexpr int kErfInvScales[] = {1, 1, 2, 2, 3, 3};

// x^2 log2(e) has 96 bits, so that the power of 2 is as accurate as its fraction has bits.
Number Functions::gaussOf(const Number &x, Value isUsed) {
  Long l(*this);
  Value none = zero(x.exponent);
  Digits bits = {x.significand.low, x.significand.high};
  Digits log2e = {number(0xbe87fed0, none), number(0x5c17f0bb, none), number(0xb8aa3b29, none)};
  // 2^(2 e - 93) for the e of x, which is from 0 to 4.
  Digits product = highest(l.multiply(highest(l.multiply(bits, bits)), log2e));
  Value e = subtract(x.exponent, number(kBias, none));
  Digits parts = l.shiftRight(product, subtract(number(29, none), add(e, e)));
  Power is = exp2Of(isUsed, parts[2], {parts[0], parts[1]});
  return {add(is.power, number(kBias, none)), is.factor};
}

Functions::Error Functions::errorOf(const Words &x) {
  Value none = zero(x.low);
  Number a = unpack(x);
  Value e = subtract(a.exponent, number(kBias, none));
  Value isFar = invert(isNegative(e));
  Words size = fixedOf(a, 0);
  Position near = position(high(size, size), uint64_t(1) << 63, 0);

  Number limited = {
      signedMin(signedMax(a.exponent, number(kBias, none)), number(kBias + kErfMost, none)),
      a.significand};
  constexpr int bits = 6;
  Words sum = Expressions::add(fixedOf(limited, bits), fixed(uint64_t(3) << (64 - bits), x));
  Number inverse = over(powerOfTwo(2, none), normal({number(kBias + bits - 1, none), sum}));
  Position far = position(fixedOf(inverse, 1), kErfMiddle, 1);

  Position at = {select(isFar, far.isMinus, near.isMinus),
                 choose(isFar, far.distance, near.distance)};
  Number factor = polynomialOf(piecesOf(kErf, kErfScales), bit(isFar), at);
  Number tail = times(times(gaussOf(limited, isFar), factor), scaled(inverse, -2));
  Value isHuge = lessSigned(number(kErfMost, none), e);
  tail.significand = choose(isHuge, {none, none}, tail.significand);
  return {isFar, normal(choose(isFar, tail, times(a, factor)))};
}

Words Functions::erf(const Words &x) {
  Error error = errorOf(x);
  Words one = fixed(uint64_t(1) << 63, x);
  Number far = {number(kBias, x.low), Expressions::subtract(one, fixedOf(error.value, 1))};
  Words result = rounded(zero(x.low), choose(error.isFar, far, error.value));
  result = withSign(result, sign(x));
  return choose(isNaN(x), special(kNaN, x.low), result);
}

Words Functions::erfc(const Words &x) {
  Error error = errorOf(x);
  Value isMinus = isNegative(x.high), isPlus = invert(isMinus);
  // Of 2 bits: 2 less erfc(-x), 1 less erf(x), or 1 plus erf(-x).
  Words whole = choose(error.isFar, fixed(uint64_t(1) << 63, x), fixed(uint64_t(1) << 62, x));
  Value isLess = either(error.isFar, isPlus);
  Words rest = Expressions::add(whole, negateIf(isLess, fixedOf(error.value, 2)));
  Value isTail = both(error.isFar, isPlus);
  Number result = choose(isTail, error.value, Number{number(kBias + 1, x.low), rest});
  return choose(isNaN(x), special(kNaN, x.low), rounded(zero(x.low), result));
}

Words Functions::erfInv(const Words &x) {
  Value none = zero(x.low), one = number(1, none);
  Number a = unpack(x);
  // 1 - x^2 = (1 - x) (1 + x), of which the first factor is exact near 1.
  Words size = fixedOf(a, 1), unit = fixed(uint64_t(1) << 63, x);
  Number lessX = normal({number(kBias, none), Expressions::subtract(unit, size)});
  Number more = {number(kBias, none), Expressions::add(unit, size)};
  Value isMinus;
  Number w = normal(logOf(reduce(normal(times(lessX, more))), isMinus));
  Value e = subtract(w.exponent, number(kBias, none));
  Value isSmall = lessSigned(e, one);
  Words inPiece = choose(isSmall, fixedOf(w, 1), shiftLeft(w.significand, one));
  Number factor = polynomialOf(piecesOf(kErfInv, kErfInvScales), select(isSmall, none, e),
                               position(inPiece, uint64_t(1) << 63, 0));
  Words result = rounded(sign(x), times(a, factor));
  Words limit = special(kOne, none);
  result = choose(equal(absolute(x), limit), withSign(special(kInfinity, none), sign(x)), result);
  Value isBeyond = less(limit, absolute(x), /*isSigned=*/false);
  return choose(isBeyond, special(kNaN, none), result);
}

} // namespace systole::float64
