// Errors of floating-point numbers against reference values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_ERRORS_H
#define SYSTOLE_RUNTIME_NUMERICS_ERRORS_H

#include <array>
#include <cstdint>
#include <span>

#include "runtime/Device/Floats.h"

namespace systole::numerics {

// Sums over elements. Relative errors are |x - r| / max(|r|, the smallest normal number of x's
// type), of elements where both are finite.
struct ErrorSums {
  int64_t elements = 0, compared = 0; // those of which both are finite
  double largestAbsolute = 0, largestRelative = 0, relative = 0, largestUlps = 0, ulps = 0;
  double squaredErrors = 0, squaredReference = 0;
  int64_t nans = 0;       // that the reference does not have
  int64_t infinities = 0; // where the reference is finite
  int64_t flushed = 0;    // zeros where the reference has a denormal number of the type
  int64_t saturated = 0;  // the largest number or infinity where the reference is larger than that

  // Adds elements of a type with `facts`. Both have as many.
  void add(const FloatFacts &facts, std::span<const double> values,
           std::span<const double> references);
  void add(const ErrorSums &other);

  double meanRelative() const { return compared > 0 ? relative / double(compared) : 0; }
  double meanUlps() const { return compared > 0 ? ulps / double(compared) : 0; }
  // The norm of the errors relative to that of the reference; infinite if that is 0, or if there
  // are numbers that are not finite where the reference has others.
  double norm() const;
};

// How many numbers have which exponent.
struct Exponents {
  static constexpr int kLeast = -160, kMost = 159; // the outermost ones count those beyond, too
  std::array<int64_t, kMost - kLeast + 1> counts{};
  int64_t zeros = 0;

  void add(std::span<const double> numbers);
};

// Digits that additions lose: log2(larger operand / |result|), where the result is not 0.
struct Cancellation {
  double largest = 0, sum = 0;
  int64_t elements = 0;

  void add(std::span<const double> results, std::span<const double> magnitudes);
  double mean() const { return elements > 0 ? sum / double(elements) : 0; }
};

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_ERRORS_H
