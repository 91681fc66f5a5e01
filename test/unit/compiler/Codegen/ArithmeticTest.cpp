// Instruction sequences for arithmetic that the machine does not have: integer division, powers,
// exact floating-point remainders.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace systole::test;

namespace {

// `stablehlo.OP x, y` on tensors of whole rows.
template <typename T>
std::vector<T> compute(const std::string &op, const std::string &dtype, std::vector<T> x,
                       std::vector<T> y) {
  size_t size = x.size(), padded = (size + 1023) / 1024 * 1024;
  x.resize(padded, T(1));
  y.resize(padded, T(1));
  Dims dims{int64_t(padded) / 128, 128};
  std::string body = "    %r = stablehlo." + op + " %x0, %x1 : tensor<" + dtype +
                     ">\n    kernel.yield %r : tensor<" + dtype + ">\n";
  auto results = runKernel({},
                           {{"in", Array::of(dtype, dims, x), {}, ""},
                            {"in", Array::of(dtype, dims, y), {}, ""},
                            {"out", Array::of(dtype, dims, std::vector<T>(padded)), {}, ""}},
                           mapStage(dims, {"%a0", "%a1"}, {dtype, dtype}, "%a2", dtype, body));
  auto values = results[2].template values<T>();
  values.resize(size);
  return values;
}

// All pairs of values near powers of two and the type's limits, and random values of all
// magnitudes.
template <typename T> void hardPairs(std::vector<T> &x, std::vector<T> &y) {
  std::vector<T> edges;
  for (int bit = 0; bit < 32; ++bit)
    for (int64_t offset : {-1, 0, 1}) {
      edges.push_back(T((uint64_t(1) << bit) + offset));
      edges.push_back(T(-((uint64_t(1) << bit) + offset)));
    }
  for (T a : edges)
    for (T b : edges) {
      x.push_back(a);
      y.push_back(b);
    }
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    T b = T(uint32_t(random()) >> (random() % 32));
    x.push_back(T(uint32_t(random()) >> (random() % 32)));
    // Estimates are critical for quotients at an integer and just below.
    if (i % 2 && b != 0)
      x.back() = T(x.back() / b * b - (i % 4 == 1));
    y.push_back(b);
  }
}

template <typename T> T quotient(T x, T y) {
  if (y == 0)
    return T(-1);
  return T(int64_t(x) / int64_t(y));
}
template <typename T> T remainder(T x, T y) { return y == 0 ? x : T(int64_t(x) % int64_t(y)); }

template <typename T>
void checkDivision(const std::string &dtype, std::vector<T> x, std::vector<T> y) {
  auto quotients = compute("divide", dtype, x, y), rests = compute("remainder", dtype, x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(quotients[i], quotient(x[i], y[i])) << +x[i] << " / " << +y[i];
    ASSERT_EQ(rests[i], remainder(x[i], y[i])) << +x[i] << " % " << +y[i];
  }
}

TEST(Division, Signed32) {
  std::vector<int32_t> x, y;
  hardPairs(x, y);
  checkDivision("i32", x, y);
}

TEST(Division, Unsigned32) {
  std::vector<uint32_t> x, y;
  hardPairs(x, y);
  checkDivision("ui32", x, y);
}

template <typename T> void allPairs(std::vector<T> &x, std::vector<T> &y) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      x.push_back(T(a));
      y.push_back(T(b));
    }
}

TEST(Division, Signed8) {
  std::vector<int8_t> x, y;
  allPairs(x, y);
  checkDivision("i8", x, y);
}

TEST(Division, Unsigned8) {
  std::vector<uint8_t> x, y;
  allPairs(x, y);
  checkDivision("ui8", x, y);
}

TEST(Division, Signed16) {
  std::vector<int16_t> x, y;
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    x.push_back(int16_t(random()));
    y.push_back(int16_t(int16_t(random()) >> (random() % 16)));
  }
  x.push_back(std::numeric_limits<int16_t>::min());
  y.push_back(-1);
  checkDivision("i16", x, y);
}

// By repeated multiplication; a negative power is only nonzero for 1 and -1.
template <typename T> T power(T x, int64_t n) {
  if (n < 0)
    return x == 1 ? T(1) : x == T(-1) ? T(n % 2 ? -1 : 1) : T(0);
  uint32_t product = 1;
  for (int64_t i = 0; i < n; ++i)
    product *= uint32_t(x);
  return T(product);
}

TEST(Power, Signed8) {
  std::vector<int8_t> x, y;
  allPairs(x, y);
  auto powers = compute("power", "i8", x, y);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(powers[i], power(x[i], y[i])) << +x[i] << " ** " << +y[i];
}

TEST(Power, Signed32) {
  std::vector<int32_t> x, y;
  for (int32_t base : {0, 1, -1, 2, -2, 3, 7, 10, -13, 65537, INT32_MAX, INT32_MIN})
    for (int32_t n : {-3, -2, -1, 0, 1, 2, 3, 5, 9, 10, 31, 32, 33, 1000}) {
      x.push_back(base);
      y.push_back(n);
    }
  auto powers = compute("power", "i32", x, y);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(powers[i], power(x[i], y[i])) << x[i] << " ** " << y[i];
}

bool isDenormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL; }

TEST(FloatRemainder, IsExact) {
  std::vector<float> x, y;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float least = std::numeric_limits<float>::min(),
                  most = std::numeric_limits<float>::max();
  std::vector<float> edges{0.f,          1.f,  3.f,     0.1f,           least,
                           1.5f * least, most, 0x1p24f, 0x1.fffffep23f, infinity,
                           std::nanf("")};
  for (float a : edges)
    for (float b : edges)
      for (float sign : {1.f, -1.f}) {
        x.push_back(sign * a);
        y.push_back(b);
        x.push_back(sign * a);
        y.push_back(-b);
      }
  // Random bits: exponents up to 254 apart; and neighbours of multiples.
  std::mt19937 random(3);
  auto next = [&] {
    float value;
    do
      value = std::bit_cast<float>(uint32_t(random()));
    while (isDenormal(value) || std::isnan(value));
    return value;
  };
  for (int i = 0; i < 60000; ++i) {
    y.push_back(next());
    if (i % 2 == 0) {
      x.push_back(next());
      continue;
    }
    float multiple = y.back() * float(1 + random() % 100000);
    multiple = std::bit_cast<float>(uint32_t(std::bit_cast<uint32_t>(multiple) + random() % 3 - 1));
    x.push_back(isDenormal(multiple) ? 0.f : multiple);
  }
  auto rests = compute("remainder", "f32", x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    float expected = std::fmod(x[i], y[i]);
    if (isDenormal(expected))
      expected = std::copysign(0.f, expected);
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(rests[i])) << x[i] << " % " << y[i] << " = " << rests[i];
    else
      ASSERT_EQ(std::bit_cast<uint32_t>(rests[i]), std::bit_cast<uint32_t>(expected))
          << x[i] << " % " << y[i] << " = " << rests[i] << ", not " << expected;
  }
}

} // namespace
