// How a Fourier transform of some length is computed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_COMPLEX_FOURIERPLAN_H
#define SYSTOLE_COMPILER_LEGALIZE_COMPLEX_FOURIERPLAN_H

#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace systole::complex {

/// The first step of a transform.
struct FourierStep {
  enum class Kind {
    Matrix,      ///< a product with the matrix of the transform
    Butterflies, ///< transforms of `factor` elements on the vector unit, then those of the rest
    Split,       ///< transforms of `factor` elements as any others, then those of the rest
    Chirp        ///< a convolution by two transforms of length `factor`, after Bluestein
  };
  Kind kind;
  int64_t factor;
  /// Of each element, in products with full tiles of the matrix unit.
  double cost;
};

/// The most elements that one step on the vector unit transforms: kernels do not combine more
/// arrays at once.
inline constexpr int64_t kMostButterflies = 8;
/// The elements of the first of the steps on the vector unit that transform `length`.
int64_t firstButterflies(int64_t length);
/// The number of steps on the vector unit that transform `length`; nothing if a prime is too large.
std::optional<int64_t> countButterflies(int64_t length);

/// Chooses the steps of transforms by their cost.
class FourierPlans {
public:
  const FourierStep &of(int64_t length);

private:
  std::map<int64_t, FourierStep> steps;
};

/// exp(2 pi i index / length), which is exact for quarters of a turn.
std::complex<double> unitRoot(int64_t index, int64_t length);

/// Factors of Bluestein's algorithm, for a transform with exponents of the sign of `sign` by way of
/// such of `padded` elements, a power of two.
struct Chirp {
  std::vector<std::complex<double>> factors;  ///< of operand and result
  std::vector<std::complex<double>> spectrum; ///< of the other operand of the convolution
};
Chirp chirpOf(int64_t length, int64_t padded, int sign);

} // namespace systole::complex

#endif // SYSTOLE_COMPILER_LEGALIZE_COMPLEX_FOURIERPLAN_H
