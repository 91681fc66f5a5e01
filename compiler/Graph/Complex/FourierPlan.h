// How a Fourier transform of some length is computed.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_COMPLEX_FOURIERPLAN_H
#define SYSTOLE_COMPILER_GRAPH_COMPLEX_FOURIERPLAN_H

#include <complex>
#include <cstdint>
#include <map>
#include <vector>

namespace systole::complex {

/// The first step of a transform.
struct FourierStep {
  enum class Kind {
    Matrix, ///< a product with the matrix of the transform
    Split,  ///< transforms of `length` / `factor` after such of `factor`
    Chirp   ///< a convolution by two transforms of length `factor`, after Bluestein
  };
  Kind kind;
  int64_t factor;
  int64_t cost; ///< of each element, in tiles of the matrix unit
};

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

#endif // SYSTOLE_COMPILER_GRAPH_COMPLEX_FOURIERPLAN_H
