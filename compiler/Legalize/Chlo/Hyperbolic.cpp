// Inverse trigonometric, hyperbolic and inverse hyperbolic functions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// For larger x, e^-x is negligible beside e^x, which may overflow although half of it does not:
// (e^(x/2) / 2) e^(x/2).
constexpr float kLarge = 40;
static Real halfExp(Real x) {
  Real root = exp(0.5f * x);
  return (0.5f * root) * root;
}

// (1 - x)(1 + x) is accurate near 1, where 1 - x is exact.
static Real cosineOf(Real sine) { return sqrt((1 - sine) * (1 + sine)); }

Real acos(Real x) { return atan2(cosineOf(x), x); }
Real asin(Real x) { return atan2(x, cosineOf(x)); }
Real atan(Real x) { return atan2(x, x.number(1)); }

Real cosh(Real x) {
  Real size = abs(x), e = exp(size);
  return select(size < kLarge, 0.5f * (e + 1 / e), halfExp(size));
}

Real sinh(Real x) {
  Real size = abs(x), e = expm1(size);
  Real result = select(size < kLarge, 0.5f * (e + e / (e + 1)), halfExp(size));
  return sign(x) * result;
}

// log(2x) where the square of x would overflow or is much larger than 1.
constexpr float kSquareIsLarge = 0x1p+30f;

Real asinh(Real x) {
  Real size = abs(x), square = size * size;
  Real small = log1p(size + square / (1 + sqrt(1 + square)));
  return sign(x) * select(size < kSquareIsLarge, small, log(size) + kLn2);
}

Real acosh(Real x) {
  Real more = x - 1;
  Real small = log1p(more + sqrt(more * (more + 2)));
  return select(x < 1, kNaN, select(x < kSquareIsLarge, small, log(x) + kLn2));
}

Real atanh(Real x) {
  Real size = abs(x);
  return sign(x) * (0.5f * log1p((2 * size) / (1 - size)));
}

} // namespace systole::expansion
