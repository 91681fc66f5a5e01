// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Device/Floats.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace systole {
namespace {

template <typename T> std::vector<double> decoded(const char *dtype, std::vector<T> codes) {
  std::vector<uint8_t> bytes(codes.size() * sizeof(T));
  std::memcpy(bytes.data(), codes.data(), bytes.size());
  return toDoubles(dtype, bytes);
}

// The values are those of the formats' definitions.
TEST(Floats, DecodesEachType) {
  EXPECT_EQ(decoded<uint16_t>("bf16", {0x3f80, 0xc000, 0x0001, 0x7f80}),
            (std::vector<double>{1, -2, std::ldexp(1, -133), INFINITY}));
  EXPECT_EQ(decoded<uint16_t>("f16", {0x3c00, 0x7bff, 0x0001}),
            (std::vector<double>{1, 65504, std::ldexp(1, -24)}));
  EXPECT_EQ(decoded<uint8_t>("f8E4M3FN", {0x38, 0x7e, 0x01}),
            (std::vector<double>{1, 448, std::ldexp(1, -9)}));
  EXPECT_EQ(decoded<uint8_t>("f8E5M2", {0x3c, 0x7b, 0x7c}),
            (std::vector<double>{1, 57344, INFINITY}));
  EXPECT_EQ(decoded<uint8_t>("f4E2M1FN", {0x2, 0x7}), (std::vector<double>{1, 6}));
  EXPECT_EQ(decoded<float>("f32", {0.1f}), std::vector<double>{0.1f});
  EXPECT_EQ(decoded<double>("f64", {0.1}), std::vector<double>{0.1});
  EXPECT_EQ(decoded<float>("complex<f32>", {1.5f, -2.5f}), (std::vector<double>{1.5, -2.5}));
  EXPECT_TRUE(std::isnan(decoded<uint8_t>("f8E4M3FN", {0x7f}).front()));
  EXPECT_EQ(decoded<uint8_t>("f8E8M0FNU", {127, 128}), (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::isnan(decoded<uint8_t>("f8E8M0FNU", {0xff}).front()));
  EXPECT_TRUE(decoded<int32_t>("i32", {1}).empty());
}

TEST(Floats, KnowsTheFactsOfTypes) {
  const FloatFacts bf16 = *floatFacts("bf16"), f16 = *floatFacts("f16"),
                   f8 = *floatFacts("f8E5M2");
  EXPECT_EQ(bf16.digits, 8);
  EXPECT_EQ(bf16.leastNormal, std::ldexp(1, -126));
  EXPECT_EQ(f16.digits, 11);
  EXPECT_EQ(f16.largest, 65504);
  EXPECT_EQ(f8.largest, 57344);
  EXPECT_EQ(floatFacts("complex<f64>")->digits, 53);
  EXPECT_FALSE(floatFacts("i8"));
}

TEST(Floats, UlpIsTheDistanceOfNeighbours) {
  const FloatFacts facts = *floatFacts("f32");
  for (float x : {1.0f, 1.5f, -3.0f, 1e30f, 1e-30f}) {
    const float next = std::nextafter(x, x > 0 ? INFINITY : -INFINITY);
    EXPECT_EQ(facts.ulp(x), std::fabs(double(next) - double(x))) << x;
  }
  EXPECT_EQ(facts.ulp(0), std::ldexp(1, -149));
  EXPECT_EQ(facts.ulp(1e-45), std::ldexp(1, -149));
}

TEST(Floats, ExponentsAreThoseOfLogb) {
  for (double x : {1.0, -7.9, 1e-310, 5e-324, 1e308})
    EXPECT_EQ(exponentOf(x), int(std::logb(x))) << x;
}

} // namespace
} // namespace systole
