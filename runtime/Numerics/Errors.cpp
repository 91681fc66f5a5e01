// Errors of floating-point numbers against reference values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Errors.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace systole::numerics {

void ErrorSums::add(const FloatFacts &facts, std::span<const double> values,
                    std::span<const double> references) {
  assert(values.size() == references.size());
  elements += int64_t(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], r = references[i], magnitude = std::fabs(r);
    if (!std::isfinite(x) || !std::isfinite(r)) {
      nans += std::isnan(x) && !std::isnan(r);
      const bool hasOverflowed = std::isinf(x) && std::isfinite(r);
      infinities += hasOverflowed;
      saturated += hasOverflowed && magnitude > facts.largest;
      continue;
    }
    ++compared;
    squaredReference += r * r;
    if (x == r)
      continue;
    const double error = std::fabs(x - r);
    flushed += x == 0 && magnitude < facts.leastNormal;
    saturated += std::fabs(x) == facts.largest && magnitude > facts.largest;
    squaredErrors += error * error;
    largestAbsolute = std::max(largestAbsolute, error);
    const double relativeError = error / std::max(magnitude, facts.leastNormal);
    relative += relativeError;
    largestRelative = std::max(largestRelative, relativeError);
    const double inUlps = error / facts.ulp(r);
    ulps += inUlps;
    largestUlps = std::max(largestUlps, inUlps);
  }
}

void ErrorSums::add(const ErrorSums &other) {
  elements += other.elements;
  compared += other.compared;
  largestAbsolute = std::max(largestAbsolute, other.largestAbsolute);
  largestRelative = std::max(largestRelative, other.largestRelative);
  relative += other.relative;
  largestUlps = std::max(largestUlps, other.largestUlps);
  ulps += other.ulps;
  squaredErrors += other.squaredErrors;
  squaredReference += other.squaredReference;
  nans += other.nans;
  infinities += other.infinities;
  flushed += other.flushed;
  saturated += other.saturated;
}

double ErrorSums::norm() const {
  if (nans + infinities > 0)
    return std::numeric_limits<double>::infinity();
  if (squaredErrors == 0)
    return 0;
  // Squares of f64 that are too large.
  if (!std::isfinite(squaredReference) || !std::isfinite(squaredErrors))
    return meanRelative();
  return squaredReference == 0 ? std::numeric_limits<double>::infinity()
                               : std::sqrt(squaredErrors / squaredReference);
}

void Exponents::add(std::span<const double> numbers) {
  for (double x : numbers) {
    if (x == 0)
      ++zeros;
    else if (std::isfinite(x))
      ++counts[size_t(std::clamp(exponentOf(x), kLeast, kMost) - kLeast)];
  }
}

void Cancellation::add(std::span<const double> results, std::span<const double> magnitudes) {
  assert(results.size() == magnitudes.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const double result = std::fabs(results[i]), magnitude = magnitudes[i];
    if (result == 0 || magnitude == 0 || !std::isfinite(result) || !std::isfinite(magnitude))
      continue;
    ++elements;
    if (result >= magnitude)
      continue;
    const double bits = std::log2(magnitude / result);
    sum += bits;
    largest = std::max(largest, bits);
  }
}

} // namespace systole::numerics
