// How a Fourier transform of some length is computed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/FourierPlan.h"

#include "dialects/Layout/RowLayout.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <optional>

namespace systole::complex {

/// Larger matrices are not constants of a program.
static constexpr int64_t kLargestMatrix = 1024;

int64_t firstButterflies(int64_t length) {
  int64_t factor = std::min(length, kMostButterflies);
  while (length % factor != 0)
    --factor;
  return factor;
}

std::optional<int64_t> countButterflies(int64_t length) {
  int64_t steps = 0;
  for (; length > 1; ++steps) {
    const int64_t factor = firstButterflies(length);
    if (factor == 1)
      return std::nullopt;
    length /= factor;
  }
  return steps;
}

/// The rows and columns of a matrix are whole tiles.
static double costOfMatrix(int64_t length) {
  const double tiles = double(llvm::divideCeil(length, kLanes));
  return tiles * tiles * double(kLanes) / double(length);
}

// Moving all elements to other lanes takes about as long as a product with full tiles, a step on
// the vector unit half of that.
const FourierStep &FourierPlans::of(int64_t length) {
  if (auto known = steps.find(length); known != steps.end())
    return known->second;
  using Kind = FourierStep::Kind;
  std::optional<FourierStep> best;
  auto consider = [&](Kind kind, int64_t factor, double cost) {
    if (!best || cost < best->cost)
      best = {kind, factor, cost};
  };
  if (length <= kLargestMatrix)
    consider(Kind::Matrix, length, costOfMatrix(length));
  for (int64_t factor = 2; factor < length; ++factor) {
    const int64_t rest = length / factor;
    if (length % factor != 0)
      continue;
    if (std::optional<int64_t> count = countButterflies(factor))
      consider(Kind::Butterflies, factor, of(rest).cost + 1 + 0.5 * double(*count));
    else if (factor <= rest)
      consider(Kind::Split, factor, of(factor).cost + of(rest).cost + 2);
  }
  if (!best) {
    const int64_t padded = int64_t(llvm::PowerOf2Ceil(uint64_t(2 * length - 1)));
    consider(Kind::Chirp, padded, double(padded) / double(length) * (2 * of(padded).cost + 3));
  }
  return steps[length] = *best;
}

std::complex<double> unitRoot(int64_t index, int64_t length) {
  index %= length;
  // In eighths of a turn, so that the angle is small and symmetric values are equal.
  const int64_t eighth = 8 * index / length;
  const int64_t quarter = (eighth + 1) / 2;
  const double numerator = double(4 * index - quarter * length), turns = 4 * double(length);
  // The angle and what rounding it left.
  constexpr double most = 2 * std::numbers::pi, rest = 0x1.1a62633145c07p-52;
  const double fraction = numerator / turns, angle = most * fraction;
  const double left = std::fma(most, fraction, -angle) + rest * fraction +
                      most * (std::fma(-fraction, turns, numerator) / turns);
  const double cosine = std::cos(angle) - left * std::sin(angle);
  const double sine = std::sin(angle) + left * std::cos(angle);
  switch (quarter % 4) {
  case 0:
    return {cosine, sine};
  case 1:
    return {-sine, cosine};
  case 2:
    return {-cosine, -sine};
  default:
    return {sine, -cosine};
  }
}

/// The transform of a power of two of elements, with negative exponents.
static void transform(std::vector<std::complex<double>> &values) {
  const size_t length = values.size();
  if (length == 1)
    return;
  std::vector<std::complex<double>> even, odd;
  for (size_t i = 0; i < length; i += 2) {
    even.push_back(values[i]);
    odd.push_back(values[i + 1]);
  }
  transform(even);
  transform(odd);
  for (size_t i = 0; i < length / 2; ++i) {
    const std::complex<double> turned = std::conj(unitRoot(int64_t(i), int64_t(length))) * odd[i];
    values[i] = even[i] + turned;
    values[i + length / 2] = even[i] - turned;
  }
}

Chirp chirpOf(int64_t length, int64_t padded, int sign) {
  assert(llvm::isPowerOf2_64(uint64_t(padded)) && padded >= 2 * length - 1 && "room for the sums");
  Chirp chirp;
  chirp.spectrum.resize(size_t(padded));
  for (int64_t i = 0; i < length; ++i) {
    const std::complex<double> root = unitRoot(i * i % (2 * length), 2 * length);
    chirp.factors.push_back(sign < 0 ? std::conj(root) : root);
    const std::complex<double> inverse = std::conj(chirp.factors.back());
    chirp.spectrum[size_t(i)] = inverse;
    if (i > 0)
      chirp.spectrum[size_t(padded - i)] = inverse;
  }
  transform(chirp.spectrum);
  return chirp;
}

} // namespace systole::complex
