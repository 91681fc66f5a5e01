// Exponentials and logarithms of the transcendental unit, cell by cell, in f32 with explicit fused
// multiply-adds: within 1 ulp of the rounded result. Without branches, so that loops over lanes
// vectorise; included per variant as Cells.h is.
//
// Coefficients interpolate the function at Chebyshev nodes, computed with 60 digits and rounded;
// each is listed with its interval. Errors named below are the largest of each eleventh float.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Emulator/Vector/Cells.h"

namespace systole::SYSTOLE_VARIANT {

// log(2) and log2(e) as sums of two floats; log(2) also with a first term of 16 bits, of which
// multiples by exponents are exact.
constexpr float kLn2F = 0x1.62e430p-1f, kLn2FLow = -0x1.05c610p-29f;
constexpr float kLn2Short = 0x1.62e400p-1f, kLn2ShortLow = 0x1.7f7d1cp-20f;
constexpr float kLog2EF = 0x1.715476p+0f, kLog2EFLow = 0x1.4ae0c0p-26f;
// Adding it rounds to an integer, which is then in the low bits.
constexpr float kRounderF = 0x1.8p+23f;

SYSTOLE_CELL float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}
SYSTOLE_CELL float powerOf2(int32_t n) { return f(u32(n + 127) << 23); }
// x * 2^n for x from 1/2 to 2, where x < 1 if n is 129: infinity, or 0, if the exponent is none of
// a normal number.
SYSTOLE_CELL float scaled(float x, int32_t n) {
  const int32_t result = int32_t(bits(x) + (u32(n) << 23)), infinity = int32_t(kInfinity);
  const int32_t bounded = result > infinity ? infinity : result;
  return f(bounded < 0x800000 ? 0 : u32(bounded));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

// exp(x) = 2^exponent (1 + r + rest), |r| <= 0.3467.
struct ExpParts {
  int32_t exponent;
  float r, rest;
};
SYSTOLE_CELL ExpParts expParts(float x) {
  const float rounder = fma(x, kLog2EF, kRounderF), n = rounder - kRounderF;
  // The first difference is exact, the second one a sum of two floats.
  const float first = fma(n, -kLn2F, x), r = fma(n, -kLn2FLow, first);
  const float low = fma(n, -kLn2FLow, first - r);
  // (exp(r) - 1 - r) / r^2 for |r| <= 0.36.
  float p = 0x1.a13a00p-13f;
  p = fma(p, r, 0x1.6d5ad8p-10f);
  p = fma(p, r, 0x1.1110dap-7f);
  p = fma(p, r, 0x1.5554d8p-5f);
  p = fma(p, r, 0x1.555556p-3f);
  p = fma(p, r, 0.5f);
  return {int32_t(bits(rounder) - bits(kRounderF)), r, fma(r * r, p, low)};
}

// 0.65 ulp.
SYSTOLE_CELL u32 eupExp(u32 a) {
  const ExpParts e = expParts(clamp(f(flush(a)), -104.0f, 89.0f));
  const float sum = 1.0f + e.r, y = sum + (e.r - (sum - 1.0f) + e.rest);
  return isNaN(a) ? kNaN : bits(scaled(y, e.exponent));
}

// 0.87 ulp.
SYSTOLE_CELL u32 eupExp2(u32 a) {
  const float x = clamp(f(flush(a)), -151.0f, 128.0f);
  const float rounder = x + kRounderF, r = x - (rounder - kRounderF);
  // (2^r - 1) / r for |r| <= 0.5.
  float p = 0x1.44138ap-13f;
  p = fma(p, r, 0x1.5f0890p-10f);
  p = fma(p, r, 0x1.3b2a54p-7f);
  p = fma(p, r, 0x1.c6af6cp-5f);
  p = fma(p, r, 0x1.ebfbe0p-3f);
  p = fma(p, r, 0x1.62e430p-1f);
  const float result = scaled(fma(p, r, 1.0f), int32_t(bits(rounder) - bits(kRounderF)));
  return isNaN(a) ? kNaN : bits(result);
}

// 1.03 ulp. The terms are 2^n - 1, 2^n r and 2^n rest, of which the first two lose nothing.
SYSTOLE_CELL u32 eupExpm1(u32 a) {
  a = flush(a);
  const ExpParts e = expParts(clamp(f(a), -30.0f, 89.0f));
  const bool isLarge = e.exponent > 100; // 2^128 is no float
  const float scale = powerOf2(isLarge ? e.exponent - 1 : e.exponent);
  const float whole = scale - (isLarge ? 0.5f : 1.0f), part = scale * e.r, sum = whole + part;
  float result = sum + fma(scale, e.rest, part - (sum - whole));
  result = isLarge ? 2.0f * result : result;
  const u32 signedResult = (bits(result) & ~kSign) | (a & kSign);
  return isNaN(a) ? kNaN : (a & ~kSign) == 0 ? a : signedResult;
}

// A quotient of sums of two floats each, of which the first ones are `numerator` and `denominator`.
SYSTOLE_CELL float quotient(float numerator, float numeratorLow, float denominator,
                            float denominatorLow) {
  const float inverse = 1.0f / denominator, q = numerator * inverse;
  const float remainder = fma(-q, denominator, numerator) + fma(-q, denominatorLow, numeratorLow);
  return fma(remainder, inverse, q);
}

// 0.65 ulp: z / (1 + z) and 1 / (1 + z) for z = exp(-|x|).
SYSTOLE_CELL u32 eupLogistic(u32 a) {
  const float magnitude = f(flush(a) & ~kSign);
  const ExpParts e = expParts(-(magnitude > 104.0f ? 104.0f : magnitude));
  const float first = 1.0f + e.r, firstLow = e.r - (first - 1.0f) + e.rest;
  const float z = first + firstLow, zLow = firstLow - (z - first);
  const float small = scaled(z, e.exponent);
  const float smallLow = zLow * powerOf2(e.exponent < -126 ? -126 : e.exponent);
  const float sum = 1.0f + small, sumLow = small - (sum - 1.0f) + smallLow;
  const bool isNegative = a >> 31;
  const float q = quotient(isNegative ? z : 1.0f, isNegative ? zLow : 0.0f, sum, sumLow);
  return isNaN(a) ? kNaN : bits(scaled(q, isNegative ? e.exponent : 0));
}

// 0.78 ulp.
SYSTOLE_CELL u32 eupTanh(u32 a) {
  const float x = f(flush(a) & ~kSign), square = x * x;
  // (tanh(x) / x - 1) / x^2 for x up to 0.56, of the square.
  float p = 0x1.47130cp-9f;
  p = fma(p, square, -0x1.16af2ep-7f);
  p = fma(p, square, 0x1.656372p-6f);
  p = fma(p, square, -0x1.ba1320p-5f);
  p = fma(p, square, 0x1.111102p-3f);
  p = fma(p, square, -0x1.555556p-2f);
  const float near = fma(x * square, p, x);
  // 1 - 2 / (exp(2x) + 1).
  const ExpParts e = expParts(x > 10.0f ? 20.0f : 2.0f * x);
  const float scale = powerOf2(e.exponent), first = fma(scale, e.r, scale);
  const float exp = fma(scale, e.rest, first);
  const float expLow = fma(scale, e.rest, first - exp) + fma(scale, e.r, scale - first);
  const float sum = exp + 1.0f, sumLow = 1.0f - (sum - exp) + expLow;
  const float far = 1.0f - quotient(2.0f, 0.0f, sum, sumLow);
  return isNaN(a) ? kNaN : bits(x < 0.56f ? near : far) | (a & kSign);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

// log(1 + r) - r for r from sqrt(1/2) - 1 to sqrt(2) - 1.
SYSTOLE_CELL float logRest(float r) {
  // (log(1 + r) - r + r^2 / 2) / r^3.
  float p = 0x1.1d8ea6p-4f;
  p = fma(p, r, -0x1.d635bcp-4f);
  p = fma(p, r, 0x1.dea282p-4f);
  p = fma(p, r, -0x1.fcf4c6p-4f);
  p = fma(p, r, 0x1.23d21ap-3f);
  p = fma(p, r, -0x1.555b4ap-3f);
  p = fma(p, r, 0x1.999d5ap-3f);
  p = fma(p, r, -0x1.fffffcp-3f);
  p = fma(p, r, 0x1.555554p-2f);
  const float square = r * r;
  return fma(square * r, p, -0.5f * square);
}
constexpr u32 kSqrtHalf = 0x3f3504f3;
// A positive normal f32 as 2^exponent (1 + r) with 1 + r from sqrt(1/2) to sqrt(2).
SYSTOLE_CELL float exponentOf(u32 a) { return float(s32(a - kSqrtHalf) >> 23); }
SYSTOLE_CELL float mantissaOf(u32 a) { return f(((a - kSqrtHalf) & 0x7fffff) + kSqrtHalf) - 1.0f; }
// The result of every logarithm for an argument that is not a positive normal number.
SYSTOLE_CELL u32 logSpecial(u32 a, u32 result) {
  result = a == kInfinity ? kInfinity : result;
  result = a > kInfinity ? kNaN : result; // NaN and negative numbers
  return (a & ~kSign) == 0 ? kSign | kInfinity : result;
}

// 0.87 ulp.
SYSTOLE_CELL u32 eupLog(u32 a) {
  a = flush(a);
  const float n = exponentOf(a), r = mantissaOf(a);
  return logSpecial(a, bits(fma(n, kLn2Short, r + fma(n, kLn2ShortLow, logRest(r)))));
}
// 0.98 ulp.
SYSTOLE_CELL u32 eupLog2(u32 a) {
  a = flush(a);
  const float r = mantissaOf(a), low = fma(r, kLog2EFLow, logRest(r) * kLog2EF);
  return logSpecial(a, bits(exponentOf(a) + fma(r, kLog2EF, low)));
}
// 0.93 ulp.
SYSTOLE_CELL u32 eupLog1p(u32 a) {
  a = flush(a);
  const float x = f(a), sum = 1.0f + x, n = exponentOf(bits(sum));
  // Where 1 + x has the exponent of 1, x itself is r. Elsewhere the sum has lost some of it.
  const bool isNear = n == 0;
  const float r = isNear ? x : mantissaOf(bits(sum));
  const float lost = x < 1.0f ? x - (sum - 1.0f) : 1.0f - (sum - x);
  const float low = logRest(r) + (isNear ? 0.0f : lost / sum);
  u32 result = bits(fma(n, kLn2Short, r + fma(n, kLn2ShortLow, low)));
  result = a == kInfinity ? kInfinity : result;
  result = a == 0xbf800000u ? kSign | kInfinity : result;
  result = isNaN(a) || x < -1 ? kNaN : result;
  return (a & ~kSign) == 0 ? a : result;
}

} // namespace systole::SYSTOLE_VARIANT
