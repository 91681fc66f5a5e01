// Steps of Fourier transforms, and their factors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/FourierPlan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace systole::complex {
namespace {

using Kind = FourierStep::Kind;
using Number = std::complex<double>;

TEST(FourierPlan, TakesMatricesForShortTransforms) {
  FourierPlans plans;
  for (int64_t length : {1, 2, 7, 127, 128})
    EXPECT_EQ(plans.of(length).kind, Kind::Matrix) << length;
}

TEST(FourierPlan, SplitsLongOnes) {
  FourierPlans plans;
  for (int64_t length : {1024, 6000, 1 << 20, 2 * 2053}) {
    const FourierStep step = plans.of(length);
    EXPECT_EQ(step.kind, Kind::Butterflies) << length;
    EXPECT_EQ(length % step.factor, 0) << length;
  }
  EXPECT_EQ(plans.of(1024).factor, 8);
  EXPECT_EQ(plans.of(4096).factor, 32);
  EXPECT_EQ(plans.of(43 * 127).kind, Kind::Split);
  EXPECT_EQ(plans.of(43 * 127).factor, 43);
}

TEST(FourierPlan, PadsLargePrimes) {
  FourierPlans plans;
  const FourierStep step = plans.of(2053);
  EXPECT_EQ(step.kind, Kind::Chirp);
  EXPECT_EQ(step.factor, 8192);
  EXPECT_EQ(plans.of(509).kind, Kind::Matrix);
}

TEST(FourierPlan, RootsAreExactForQuarters) {
  for (int64_t length : {4, 8, 12, 1000})
    for (int64_t quarter = 0; quarter < 5; ++quarter) {
      const Number expected[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
      EXPECT_EQ(unitRoot(quarter * length / 4, length), expected[quarter % 4]);
    }
  for (int64_t index = 0; index < 30; ++index) {
    const double angle = 2 * std::numbers::pi * double(index) / 15;
    EXPECT_LT(std::abs(unitRoot(index, 15) - Number(std::cos(angle), std::sin(angle))), 1e-14);
  }
}

// A transform of five elements by its definition, and by the chirp's convolution.
TEST(FourierPlan, ChirpsAreConvolutions) {
  constexpr int64_t length = 5, padded = 16;
  for (int sign : {-1, 1}) {
    const Chirp chirp = chirpOf(length, padded, sign);
    // The other operand of the convolution, from its spectrum.
    std::vector<Number> other(padded);
    for (int64_t i = 0; i < padded; ++i)
      for (int64_t k = 0; k < padded; ++k)
        other[i] += chirp.spectrum[k] * unitRoot(i * k, padded) / double(padded);
    for (int64_t k = 0; k < length; ++k) {
      Number sum, expected;
      for (int64_t j = 0; j < length; ++j) {
        const Number x(double(j + 1), double(j * j));
        sum += x * chirp.factors[j] * other[(k - j + padded) % padded];
        expected += x * (sign < 0 ? std::conj(unitRoot(j * k, length)) : unitRoot(j * k, length));
      }
      EXPECT_LT(std::abs(sum * chirp.factors[k] - expected), 1e-12);
    }
  }
}

} // namespace
} // namespace systole::complex
