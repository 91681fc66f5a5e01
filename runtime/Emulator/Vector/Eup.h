// The other functions of the transcendental unit, cell by cell: sines in f32; tangents, powers,
// cube roots and arctangents in f64, rounded once. Explicit fused multiply-adds, without branches,
// so that loops over lanes vectorise; included per variant as Cells.h is.
//
// Coefficients interpolate the function at Chebyshev nodes, computed with 60
// digits; each is listed with its interval.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Emulator/Vector/ExpLog.h"

namespace systole::SYSTOLE_VARIANT {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kPi = 0x1.921fb54442d18p+1;
constexpr double kPiOver2 = kPi / 2, kPiOver2Mid = 0x1.1a62633145c07p-54,
                 kPiOver2Low = -0x1.f1976b7ed8fbcp-110;
constexpr float kPiOver2F[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
constexpr float kTwoOverPiF = 0x1.45f306p-1f;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// Adding it rounds to an integer, which is then in the low bits.
constexpr double kRounder = 0x1.8p+52;

SYSTOLE_CELL double clamp(double x, double low, double high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
SYSTOLE_CELL double copySign(double magnitude, u32 sign) {
  constexpr u64 mask = u64(1) << 63;
  return d64((bits64(magnitude) & ~mask) | (u64(sign) << 32 & mask));
}
SYSTOLE_CELL double wide(u32 a) { return double(f(flush(a))); }
SYSTOLE_CELL u32 narrow(double x) { return bits(float(x)); }

// (exp(r) - 1 - r) / r^2 for |r| <= 0.36.
SYSTOLE_CELL double expPolynomial(double r) {
  double p = 0x1.288c7f5ecd1bap-22;
  p = fma(p, r, 0x1.72d98ba4bfed6p-19);
  p = fma(p, r, 0x1.a019c0793bd55p-16);
  p = fma(p, r, 0x1.a0199fdff1757p-13);
  p = fma(p, r, 0x1.6c16c17578dbfp-10);
  p = fma(p, r, 0x1.1111111f25270p-7);
  p = fma(p, r, 0x1.55555555549a9p-5);
  p = fma(p, r, 0x1.555555555324dp-3);
  return fma(p, r, 0x1.0000000000000p-1);
}

// 2^x, for |x| < 1000.
SYSTOLE_CELL double exp2Wide(double x) {
  double rounder = x + kRounder, r = (x - (rounder - kRounder)) * kLn2;
  // The exponent is in the low bits of `rounder`.
  double scale = d64((bits64(rounder) << 52) + bits64(1.0));
  return fma(scale, fma(r * r, expPolynomial(r), r), scale);
}

// log(1 + x) from s = x / (2 + x), |s| <= 0.1716: 2 atanh(s).
SYSTOLE_CELL double logPolynomial(double s) {
  double z = s * s;
  double p = 0x1.2b97d8620ef42p-3;
  p = fma(p, z, 0x1.39f936407d255p-3);
  p = fma(p, z, 0x1.7462dc9f47f3dp-3);
  p = fma(p, z, 0x1.c71c62587d6b7p-3);
  p = fma(p, z, 0x1.2492492e60594p-2);
  p = fma(p, z, 0x1.9999999994ef3p-2);
  p = fma(p, z, 0x1.5555555555558p-1);
  return fma(s * z, p, 2 * s);
}
// A positive normal f32 as 2^exponent * m with m from sqrt(1/2) to sqrt(2), and
// log(m).
struct LogParts {
  double exponent, log;
};
SYSTOLE_CELL LogParts logParts(u32 a) {
  u32 shifted = a - kSqrtHalf;
  double m = double(f((shifted & 0x7fffff) + kSqrtHalf));
  return {double(s32(shifted) >> 23), logPolynomial((m - 1) / (m + 1))};
}

// sin(r) and cos(r) for |r| <= 0.8.
SYSTOLE_CELL double sinPolynomial(double r) {
  double z = r * r;
  double p = -0x1.a9ffdca606ddap-26;
  p = fma(p, z, 0x1.71d950e8a7c00p-19);
  p = fma(p, z, -0x1.a019fd23452cdp-13);
  p = fma(p, z, 0x1.1111110fa18efp-7);
  p = fma(p, z, -0x1.55555555550a1p-3);
  return fma(r * z, p, r);
}
SYSTOLE_CELL double cosPolynomial(double r) {
  double z = r * r;
  double p = 0x1.1c6a9a7777f24p-29;
  p = fma(p, z, -0x1.27e22c5a0bee5p-22);
  p = fma(p, z, 0x1.a019ff0f083dap-16);
  p = fma(p, z, -0x1.6c16c16b448d6p-10);
  p = fma(p, z, 0x1.55555555553fdp-5);
  return fma(z * z, p, fma(z, -0.5, 1.0));
}

// x = quadrant * pi/2 + r, |r| <= pi/4.
struct WideAngle {
  u64 quadrant;
  double r;
};
// For |x| < 2^40: products lose no bits that cancellation would expose.
SYSTOLE_CELL WideAngle reduceAngle(double x) {
  double rounder = fma(x, kTwoOverPi, kRounder), n = rounder - kRounder;
  double r = fma(n, -kPiOver2, x);
  r = fma(n, -kPiOver2Low, fma(n, -kPiOver2Mid, r));
  return {bits64(rounder), r};
}
// For |x| >= 2^17; from 2^40 on it multiplies by the relevant bits of 2/pi.
[[gnu::noinline]] static WideAngle reduceHugeAngle(u32 a) {
  if ((a & ~kSign) < 0x53800000)
    return reduceAngle(wide(a));
  static constexpr u64 twoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                      0xfe5163abdebbc561, 0xb7246e3a424dd2e0};
  using u128 = unsigned __int128;
  u64 mantissa = (a & 0x7fffff) | 0x800000;
  int exponent = int(a >> 23 & 255) - 150; // |x| = mantissa * 2^exponent
  // Bit j of the table weighs 2^-(j+1). Bits that contribute multiples of 4
  // are irrelevant: the window starts at the one that gives mantissa * 2.
  int start = exponent - 2, word = start / 64, shift = start % 64;
  u128 window = u128(twoOverPi[word]) << 64 | twoOverPi[word + 1];
  if (shift)
    window = window << shift | twoOverPi[word + 2] >> (64 - shift);
  // In units of 2^-126; the overflow is a multiple of 4.
  u128 product = window * mantissa;
  u64 quadrant = u64(product >> 126);
  __int128 fraction = __int128(product << 2) >> 2; // signed: -1/2 to 1/2 in 2^-126
  quadrant += fraction < 0;
  double r = double(fraction) * 0x1p-126 * kPiOver2;
  bool negative = a >> 31;
  return {negative ? 0 - quadrant : quadrant, negative ? -r : r};
}
SYSTOLE_CELL double sinOf(WideAngle angle, u64 turn) {
  u64 q = angle.quadrant + turn;
  double value = q & 1 ? cosPolynomial(angle.r) : sinPolynomial(angle.r);
  return d64(bits64(value) ^ (q & 2) << 62);
}
SYSTOLE_CELL double tanOf(WideAngle angle) {
  double s = sinPolynomial(angle.r), c = cosPolynomial(angle.r);
  bool odd = angle.quadrant & 1;
  return (odd ? -c : s) / (odd ? s : c);
}

// sin(r + low) and cos(r + low) for |r| <= 0.8.
SYSTOLE_CELL float sinOf(float r, float low) {
  const float z = r * r;
  float p = 0x1.6d969ep-19f;
  p = fma(p, z, -0x1.a0132cp-13f);
  p = fma(p, z, 0x1.11110ep-7f);
  p = fma(p, z, -0x1.555556p-3f);
  return r + fma(r * z, p, low);
}
SYSTOLE_CELL float cosOf(float r, float low) {
  const float z = r * r;
  float p = 0x1.9baff2p-16f;
  p = fma(p, z, -0x1.6c1286p-10f);
  p = fma(p, z, 0x1.555554p-5f);
  const float first = fma(z, -0.5f, 1.0f);
  return first + (fma(z, -0.5f, 1.0f - first) + fma(z * z, p, -r * low));
}
// x = quadrant * pi/2 + r + low, |r| <= pi/4.
struct Angle {
  u32 quadrant;
  float r, low;
};
// For |x| < 2^17: n pi/2 as a sum of three products, of which the first difference is exact, and
// the second one and its product sums of two floats.
SYSTOLE_CELL Angle reduceAngle(float x) {
  const float rounder = fma(x, kTwoOverPiF, kRounderF), n = rounder - kRounderF;
  const float first = fma(n, -kPiOver2F[0], x), second = n * -kPiOver2F[1];
  const float r = first + second, back = r - first;
  const float low = (first - (r - back)) + (second - back);
  return {bits(rounder), r, fma(n, -kPiOver2F[2], low + fma(n, -kPiOver2F[1], -second))};
}
constexpr u32 kHugeAngle = 0x48000000; // 2^17
SYSTOLE_CELL bool isHugeAngle(u32 a) {
  return (a & ~kSign) >= kHugeAngle && (a & ~kSign) < kInfinity;
}
SYSTOLE_CELL float sinOf(Angle angle, u32 turn) {
  const u32 q = angle.quadrant + turn;
  const float value = q & 1 ? cosOf(angle.r, angle.low) : sinOf(angle.r, angle.low);
  return f(bits(value) ^ (q & 2) << 30);
}

// atan(t) for |t| <= 0.4143.
SYSTOLE_CELL double atanPolynomial(double t) {
  double z = t * t;
  double p = 0x1.0df56d70218a7p-5;
  p = fma(p, z, -0x1.edbe74336fe81p-5);
  p = fma(p, z, 0x1.377dbe22276f9p-4);
  p = fma(p, z, -0x1.7415ac468f7fcp-4);
  p = fma(p, z, 0x1.c719630506900p-4);
  p = fma(p, z, -0x1.249240d8e7ec3p-3);
  p = fma(p, z, 0x1.999999885a487p-3);
  p = fma(p, z, -0x1.5555555552609p-2);
  return fma(t * z, p, t);
}

//===----------------------------------------------------------------------===//
// The unit's functions
//===----------------------------------------------------------------------===//

SYSTOLE_CELL u32 eupRecip(u32 a) { return bits(1.0f / f(a)); }
SYSTOLE_CELL u32 eupSqrt(u32 a) { return bits(__builtin_sqrtf(f(a))); }
SYSTOLE_CELL u32 eupRsqrt(u32 a) {
  // Of small numbers the root's error would be too small for f32.
  const float given = f(flush(a));
  const bool isSmall = given < 0x1p-100f;
  const float x = isSmall ? given * 0x1p60f : given, root = __builtin_sqrtf(x), y = 1.0f / root;
  // The relative errors of the quotient and of the root.
  const float error = fma(-root, y, 1.0f) - 0.5f * fma(-root, root, x) * y * y;
  const float refined = x > 0 && bits(x) != kInfinity ? fma(y, error, y) : y;
  return bits(isSmall ? refined * 0x1p30f : refined);
}
SYSTOLE_CELL u32 eupDiv(u32 a, u32 b) { return bits(f(a) / f(b)); }

SYSTOLE_CELL u32 eupCbrt(u32 a) {
  u32 magnitude = flush(a) & ~kSign;
  // A third of the exponent, within 4%; two steps of Halley's method follow.
  double x = wide(magnitude), y = double(f(magnitude / 3 + 0x2a5137a0));
  for (int step = 0; step < 2; ++step) {
    double cube = y * y * y;
    y *= fma(2.0, x, cube) / fma(2.0, cube, x);
  }
  u32 result = magnitude == 0 || magnitude == kInfinity ? magnitude : narrow(y);
  return isNaN(a) ? kNaN : result | (a & kSign);
}

SYSTOLE_CELL u32 eupSin(u32 a) {
  a = flush(a);
  u32 result = bits(sinOf(reduceAngle(f(a)), 0));
  return (a & ~kSign) == 0 ? a : result;
}
SYSTOLE_CELL u32 eupCos(u32 a) { return bits(sinOf(reduceAngle(f(a)), 1)); }
SYSTOLE_CELL u32 eupTan(u32 a) {
  a = flush(a);
  u32 result = narrow(tanOf(reduceAngle(wide(a))));
  return (a & ~kSign) == 0 ? a : result;
}
// The same for huge angles, which are too rare to slow the others down.
static inline u32 eupSinHuge(u32 a) { return narrow(sinOf(reduceHugeAngle(a), 0)); }
static inline u32 eupCosHuge(u32 a) { return narrow(sinOf(reduceHugeAngle(a), 1)); }
static inline u32 eupTanHuge(u32 a) { return narrow(tanOf(reduceHugeAngle(a))); }

SYSTOLE_CELL u32 eupPow(u32 a, u32 b) {
  a = flush(a);
  b = flush(b);
  u32 magnitude = a & ~kSign;
  LogParts l = logParts(magnitude);
  double log = fma(l.log, kLog2E, l.exponent);
  log = magnitude == 0 ? -__builtin_inf() : magnitude == kInfinity ? __builtin_inf() : log;
  u32 result = narrow(exp2Wide(clamp(wide(b) * log, -160, 160)));
  float y = f(b), half = y * 0.5f;
  bool whole = trunc(y) == y, odd = whole && trunc(half) != half;
  result |= odd ? a & kSign : 0;
  bool negative = a > kSign && a < (kSign | kInfinity); // and finite, not zero
  result = negative && !whole ? kNaN : result;
  result = magnitude == 0x3f800000u && (b & ~kSign) == kInfinity ? 0x3f800000u : result;
  result = isNaN(a) || isNaN(b) ? kNaN : result;
  return a == 0x3f800000u || (b & ~kSign) == 0 ? 0x3f800000u : result;
}

SYSTOLE_CELL u32 eupAtan2(u32 a, u32 b) {
  double y = wide(a & ~kSign), x = wide(b & ~kSign);
  double large = y > x ? y : x, small = y > x ? x : y;
  bool infinite = small == __builtin_inf();
  large = infinite || large == 0 ? 1 : large;
  small = infinite ? 1 : small;
  // atan(small / large), from the angle to 45 degrees if that is nearer.
  bool fold = small > large * 0.41421356237309503;
  double t = (fold ? small - large : small) / (fold ? small + large : large);
  double angle = atanPolynomial(t) + (fold ? kPi / 4 : 0);
  angle = y > x ? kPiOver2 - angle : angle;
  angle = b >> 31 ? kPi - angle : angle;
  return isNaN(a) || isNaN(b) ? kNaN : narrow(copySign(angle, a));
}

} // namespace systole::SYSTOLE_VARIANT
