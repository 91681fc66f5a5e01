// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Errors.h"

#include <cmath>

#include <gtest/gtest.h>

namespace systole::numerics {
namespace {

ErrorSums errorsOf(const char *dtype, std::vector<double> values, std::vector<double> references) {
  ErrorSums errors;
  errors.add(*floatFacts(dtype), values, references);
  return errors;
}

TEST(Errors, AreThoseOfTheDefinition) {
  const ErrorSums errors = errorsOf("bf16", {3, 4, 0.5}, {3, 5, 0.25});
  EXPECT_EQ(errors.largestAbsolute, 1);
  EXPECT_EQ(errors.largestRelative, 1);
  EXPECT_DOUBLE_EQ(errors.meanRelative(), (0 + 0.2 + 1) / 3);
  // Neighbours of 5 are 2^-5 apart, of 0.25 2^-9.
  EXPECT_EQ(errors.largestUlps, 128);
  EXPECT_DOUBLE_EQ(errors.meanUlps(), (0 + 32 + 128) / 3.0);
  EXPECT_DOUBLE_EQ(errors.norm(), std::sqrt((1 + 0.0625) / (9 + 25 + 0.0625)));
}

TEST(Errors, CountsWhatIsNotFinite) {
  const ErrorSums errors =
      errorsOf("f16", {NAN, NAN, INFINITY, INFINITY, 1}, {1, NAN, 1e5, INFINITY, NAN});
  EXPECT_EQ(errors.nans, 1);
  EXPECT_EQ(errors.infinities, 1);
  EXPECT_EQ(errors.saturated, 1);
  EXPECT_EQ(errors.compared, 0);
  EXPECT_EQ(errors.elements, 5);
  EXPECT_EQ(errors.norm(), INFINITY);
  EXPECT_EQ(errorsOf("f16", {INFINITY, NAN}, {INFINITY, NAN}).norm(), 0);
}

TEST(Errors, CountsTheEndsOfTheRange) {
  const ErrorSums errors = errorsOf("f8E4M3FN", {448, 448, 0, 0}, {1000, 448, 1e-4, 0.5});
  EXPECT_EQ(errors.saturated, 1);
  EXPECT_EQ(errors.flushed, 1);
}

TEST(Errors, OfASumOfTwo) {
  ErrorSums both = errorsOf("f32", {1}, {2});
  both.add(errorsOf("f32", {3}, {3}));
  const ErrorSums together = errorsOf("f32", {1, 3}, {2, 3});
  EXPECT_EQ(both.norm(), together.norm());
  EXPECT_EQ(both.meanRelative(), together.meanRelative());
  EXPECT_EQ(both.elements, 2);
}

TEST(Errors, OfReferencesThatAreZero) {
  EXPECT_EQ(errorsOf("f32", {0, 0}, {0, 0}).norm(), 0);
  EXPECT_EQ(errorsOf("f32", {1}, {0}).norm(), INFINITY);
  // Squares beyond f64.
  EXPECT_DOUBLE_EQ(errorsOf("f64", {1.5e200}, {1e200}).norm(), 0.5);
}

TEST(Errors, Exponents) {
  Exponents exponents;
  exponents.add(std::vector<double>{1, 1.5, -4, 0, 1e300, NAN, INFINITY});
  EXPECT_EQ(exponents.counts[size_t(0 - Exponents::kLeast)], 2);
  EXPECT_EQ(exponents.counts[size_t(2 - Exponents::kLeast)], 1);
  EXPECT_EQ(exponents.counts.back(), 1);
  EXPECT_EQ(exponents.zeros, 1);
}

TEST(Errors, Cancellation) {
  Cancellation cancellation;
  cancellation.add(std::vector<double>{0.25, 3, 0}, std::vector<double>{1, 2, 5});
  EXPECT_EQ(cancellation.largest, 2);
  EXPECT_EQ(cancellation.mean(), 1);
}

} // namespace
} // namespace systole::numerics
