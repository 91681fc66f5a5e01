// Functions of one 32-bit cell, of which the instruction set's semantics
// expressions consist. Included once per instruction-set variant of the host
// (see KernelsBody.inc), so everything lives in the variant's namespace and is
// always inlined. Written without branches, so that loops over lanes vectorise.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_VARIANT
#error "define SYSTOLE_VARIANT, the namespace of this copy"
#endif

#include <cstdint>

#define SYSTOLE_CELL [[gnu::always_inline]] static inline

// Pragmas for a loop over lanes that may operate in place, and for a loop that
// has to be unrolled to keep an array in registers.
#if defined(__clang__)
#define SYSTOLE_LANES _Pragma("clang loop vectorize(assume_safety)")
#define SYSTOLE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SYSTOLE_LANES _Pragma("GCC ivdep")
#define SYSTOLE_UNROLL _Pragma("GCC unroll 8")
#endif

namespace systole::SYSTOLE_VARIANT {

using u32 = uint32_t;
using u64 = uint64_t;

SYSTOLE_CELL float f(u32 x) { return __builtin_bit_cast(float, x); }
SYSTOLE_CELL u32 bits(float x) { return __builtin_bit_cast(u32, x); }
SYSTOLE_CELL double d64(u64 x) { return __builtin_bit_cast(double, x); }
SYSTOLE_CELL u64 bits64(double x) { return __builtin_bit_cast(u64, x); }
SYSTOLE_CELL int32_t s32(u32 x) { return int32_t(x); }

constexpr u32 kSign = 0x80000000u;
constexpr u32 kInfinity = 0x7f800000u;
constexpr u32 kNaN = 0x7fc00000u;

SYSTOLE_CELL bool isNaN(u32 x) { return (x & ~kSign) > kInfinity; }
// Flushes denormals to zero of the same sign, on the bits of a float.
SYSTOLE_CELL u32 flush(u32 x) { return (x & kInfinity) ? x : x & kSign; }

SYSTOLE_CELL float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SYSTOLE_CELL double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SYSTOLE_CELL float floor(float x) { return __builtin_floorf(f(flush(bits(x)))); }
SYSTOLE_CELL float ceil(float x) { return __builtin_ceilf(f(flush(bits(x)))); }
SYSTOLE_CELL float trunc(float x) { return __builtin_truncf(f(flush(bits(x)))); }
SYSTOLE_CELL float roundEven(float x) { return __builtin_roundevenf(f(flush(bits(x)))); }

SYSTOLE_CELL u32 fmin(u32 a, u32 b) {
  a = flush(a);
  b = flush(b);
  // Equal values differ in bits only as zeros, of which the negative one is less.
  u32 least = f(a) < f(b) ? a : f(b) < f(a) ? b : a | b;
  return isNaN(a) || isNaN(b) ? kNaN : least;
}
SYSTOLE_CELL u32 fmax(u32 a, u32 b) {
  a = flush(a);
  b = flush(b);
  u32 most = f(a) > f(b) ? a : f(b) > f(a) ? b : a & b;
  return isNaN(a) || isNaN(b) ? kNaN : most;
}

SYSTOLE_CELL u32 mulhiU(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
SYSTOLE_CELL u32 shl(u32 a, u32 b) { return b < 32 ? a << (b & 31) : 0; }
SYSTOLE_CELL u32 shr(u32 a, u32 b) { return b < 32 ? a >> (b & 31) : 0; }
SYSTOLE_CELL u32 sra(u32 a, u32 b) { return u32(s32(a) >> (b < 32 ? b : 31)); }
SYSTOLE_CELL u32 popcnt(u32 a) { return u32(__builtin_popcount(a)); }
SYSTOLE_CELL u32 clz(u32 a) { return a ? u32(__builtin_clz(a)) : 32; }

SYSTOLE_CELL u32 f32ToS32(u32 a) {
  float x = f(a);
  bool inside = x >= -2147483648.0f && x < 2147483648.0f;
  u32 outside = x >= 2147483648.0f ? 0x7fffffffu : x < 0 ? 0x80000000u : 0;
  return inside ? u32(int32_t(inside ? x : 0.0f)) : outside;
}
SYSTOLE_CELL u32 f32ToU32(u32 a) {
  float x = f(a);
  bool inside = x >= 0 && x < 4294967296.0f;
  return inside ? u32(inside ? x : 0.0f) : x >= 4294967296.0f ? 0xffffffffu : 0;
}

// To bf16, which has the exponents of f32, kept in the upper half of the cell.
SYSTOLE_CELL u32 roundBf16(u32 a) {
  u32 x = flush(a);
  u32 rounded = (x + 0x7fff + ((x >> 16) & 1)) & 0xffff0000u;
  return isNaN(a) ? kNaN : rounded;
}
// The two bf16 of a cell as f32, and a cell of two f32, each rounded.
SYSTOLE_CELL u32 low(u32 a) { return a << 16; }
SYSTOLE_CELL u32 high(u32 a) { return a & 0xffff0000u; }
SYSTOLE_CELL u32 halves(u32 low, u32 high) { return roundBf16(low) >> 16 | roundBf16(high); }

// Denormals of f16 are normal numbers of f32 and multiples of 2^-24, the last place of
// numbers from 0.5 up to 1: added to 0.5, their count is the mantissa.
constexpr u32 kHalf = 0x3f000000u;           // 0.5
constexpr u32 kLeastNormalF16 = 0x38800000u; // 2^-14

// To f16, kept as f32.
SYSTOLE_CELL u32 roundF16(u32 a) {
  u32 sign = a & kSign, x = a & ~kSign;
  u32 rounded = (x + 0xfff + ((x >> 13) & 1)) & ~0x1fffu;
  rounded = rounded > 0x477fe000u ? kInfinity : rounded; // above 65504
  u32 small = bits((f(x) + f(kHalf)) - f(kHalf));
  rounded = x < kLeastNormalF16 ? small : rounded;
  return isNaN(a) ? kNaN : sign | rounded;
}
SYSTOLE_CELL u32 splitHi(u32 a) {
  u32 nearest = roundBf16(a);
  bool overflow = (nearest & ~kSign) == kInfinity && (a & ~kSign) < kInfinity;
  return overflow ? a & 0xffff0000u : nearest;
}
SYSTOLE_CELL u32 splitLo(u32 a, u32 b) {
  return (a & kInfinity) == kInfinity ? 0 : bits(f(a) - f(b));
}

// Widening and narrowing of packed cells, by load and store instructions.
SYSTOLE_CELL u32 widenF16(u32 h) {
  u32 sign = (h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 0x3ff;
  u32 normal = ((exponent + 112) << 23) | (mantissa << 13);
  u32 special = kInfinity | (mantissa << 13);
  u32 small = bits(f(kHalf | mantissa) - f(kHalf));
  return sign | (exponent == 0 ? small : exponent == 31 ? special : normal);
}
SYSTOLE_CELL u32 narrowF16(u32 a) {
  u32 x = roundF16(a), sign = (x >> 16) & 0x8000, magnitude = x & ~kSign;
  u32 normal = (magnitude - 0x38000000u) >> 13;
  u32 small = bits(f(magnitude) + f(kHalf)) - kHalf;
  u32 half = magnitude < kLeastNormalF16 ? small
             : magnitude >= kInfinity    ? 0x7c00 | (magnitude > kInfinity ? 0x200 : 0)
                                         : normal;
  return sign | half;
}

} // namespace systole::SYSTOLE_VARIANT
