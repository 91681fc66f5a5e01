// Bessel functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// Coefficients are minimax fits of the quotients in the comments over the intervals next to them,
// by reweighted least squares in f64.

// I1(x) / x as a function of x^2, for |x| <= 8: all terms are positive.
constexpr float kBesselSmall[] = {
    0x1p-1f,         0x1.000002p-4f,  0x1.555534p-9f,  0x1.c71edp-15f,  0x1.6c0294p-21f,
    0x1.8518d2p-28f, 0x1.23e118p-35f, 0x1.6c4d1ep-43f, 0x1.940c3ap-52f, 0x1.95e4d6p-59f};
// e^-x I1(x) sqrt(x) as a function of 1 / x, for x >= 8.
constexpr float kBesselLarge[] = {0x1.988454p-2f,  -0x1.326306p-3f, -0x1.7f6692p-5f,
                                  -0x1.3cb1e8p-5f, -0x1.a78d94p-4f, 0x1.59be46p-2f,
                                  -0x1.09bedep+1f};

Real besselI1e(Real x) {
  Real size = abs(x), low = min(size, 8), high = max(size, 8);
  Real small = exp(-low) * (low * polynomial(kBesselSmall, low * low));
  Real large = polynomial(kBesselLarge, 1 / high) / sqrt(high);
  return sign(x) * select(size < 8, small, large);
}

} // namespace systole::expansion
