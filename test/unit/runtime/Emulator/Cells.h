// Registers of test values, and comparison of results in units of the last place.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_CELLS_H
#define SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_CELLS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/Emulator/Vector/Kernels.h"

namespace systole::test {

struct alignas(64) Register {
  uint32_t cells[kCells];
};

inline float asFloat(uint32_t x) { return std::bit_cast<float>(x); }
inline uint32_t asBits(float x) { return std::bit_cast<uint32_t>(x); }

inline float flushed(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

// Position of a flushed f32 among all of them, zero being 0.
inline int64_t ordinal(float x) {
  int64_t magnitude = asBits(std::fabs(x)) & 0x7fffffff;
  magnitude = magnitude < 0x800000 ? 0 : magnitude - 0x7fffff;
  return std::signbit(x) ? -magnitude : magnitude;
}

// How many floats lie between a result and the exact value's nearest; a NaN is
// only near a NaN, and a zero has a sign.
inline int64_t ulps(uint32_t result, long double exact) {
  // Subnormal results: below the least normal number when rounded to 24 bits.
  bool tiny = std::fabs(exact) < 0x1.ffffffp-127L;
  float nearest = tiny ? std::copysign(0.0f, float(exact)) : float(exact);
  float got = asFloat(result);
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) && std::isnan(got) ? 0 : INT64_MAX;
  if (std::isinf(nearest) != std::isinf(got) && std::fabs(float(exact)) < 3e38f)
    return INT64_MAX;
  if (nearest == 0 && got == 0 && std::signbit(nearest) != std::signbit(got))
    return INT64_MAX;
  return std::abs(ordinal(nearest) - ordinal(got));
}

// Bit patterns where functions change their form: zeros, denormals, integers,
// halves, powers of two and their neighbours, infinities, NaN; of both signs.
inline std::vector<uint32_t> specialValues() {
  std::vector<uint32_t> values = {0,          1,          0x7fffff,   0x7f800000, 0x7fc00000,
                                  0x7f800001, 0x40490fdb, 0x3fc90fdb, 0x3f317218, 0x42b17217,
                                  0x42b17218, 0x42aeac4f, 0x42aeac50, 0x3f3504f3, 0x3fb504f3};
  for (uint32_t exponent = 1; exponent < 255; exponent += exponent > 100 && exponent < 160 ? 1 : 9)
    for (int d = -1; d <= 1; ++d)
      values.push_back((exponent << 23) + uint32_t(d));
  for (float x :
       {1.0f,  1.5f,  2.0f,   2.5f, 3.0f,  4.0f, 5.0f,        7.0f,        8.0f,        10.0f,
        27.0f, 64.0f, 100.0f, 0.1f, 0.25f, 0.3f, 16777215.0f, 16777216.0f, 16777217.0f, 8388607.5f})
    values.push_back(asBits(x));
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(values[i] | 0x80000000);
  return values;
}

} // namespace systole::test

#endif // SYSTOLE_TEST_UNIT_RUNTIME_EMULATOR_CELLS_H
