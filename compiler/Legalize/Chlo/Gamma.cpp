// The logarithm of the gamma function and its derivative.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// Coefficients are minimax fits of the quotients in the comments over the intervals next to them,
// by reweighted least squares in f64.

// Numerator and denominator of lgamma(x) / ((x - 1) (x - 2)), for x from 0.5 to 8.
constexpr float kLgammaTop[] = {0x1.1ed7fep+1f, 0x1.a785fcp+4f, 0x1.b6b94ap+5f,
                                0x1.be3672p+4f, 0x1.bf43a2p+1f, 0x1.315e9p-4f};
constexpr float kLgammaBottom[] = {0x1p+0f,        0x1.6b6288p+4f, 0x1.44b6bep+6f, 0x1.2632d2p+6f,
                                   0x1.36ebacp+4f, 0x1.5c1d24p+0f, 0x1.fa196ep-7f};
// The remainder of Stirling's formula times x, as a function of 1 / x^2, for x >= 8.
constexpr float kStirling[] = {0x1.555556p-4f, -0x1.6c141cp-9f, 0x1.98f994p-11f};
// log(2 pi) / 2 - 1/2
constexpr float kStirlingConstant = 0x1.acfe3ap-2f;

// The positive zero of digamma, in two parts.
constexpr float kZero = 0x1.762d86p+0f, kZeroRest = 0x1.ab5f2p-27f;
// Numerator and denominator of digamma(x) / (x - zero), for x from 1 to 2.
constexpr float kDigammaTop[] = {0x1.27253p+9f, 0x1.432daep+10f, 0x1.6e5226p+8f, 0x1.218bap+2f};
constexpr float kDigammaBottom[] = {0x1p+0f, 0x1.ab7d52p+9f, 0x1.9feffcp+9f, 0x1.cab59ep+6f};
// (log(x) - 1 / (2x) - digamma(x)) x^2 as a function of 1 / x^2, for x >= 2.
constexpr float kDigammaLarge[] = {0x1.55554p-4f, -0x1.10e8a4p-7f, 0x1.faeb12p-9f, -0x1.9f75f2p-9f,
                                   0x1.0ea06ap-9f};

/// For x >= 0.5.
static Real lgammaRight(Real x) {
  Real low = min(x, 8), high = max(x, 8), inverse = 1 / high;
  Real quotient = polynomial(kLgammaTop, low) / polynomial(kLgammaBottom, low);
  Real small = ((low - 1) * (low - 2)) * quotient;
  Real rest = kStirlingConstant + inverse * polynomial(kStirling, inverse * inverse);
  return select(x < 8, small, (high - 0.5f) * (log(high) - 1) + rest);
}

// Other values use the reflection formula: gamma(x) gamma(1 - x) = pi / sin(pi x). The distance of
// x from the nearest integer is exact.
Real lgamma(Real x) {
  Real right = lgammaRight(select(x < 0.5f, 1 - x, x));
  Real sine = sin(kPi * abs(x - roundToEven(x)));
  Real left = select(sine == 0, kInfinity, log(kPi / sine) - right);
  Real result = select(x < 0.5f, left, right);
  return select(abs(x) == kInfinity, kInfinity, result);
}

Real digamma(Real x) {
  Real right = select(x < 0, 1 - x, x); // digamma(1 - x) - digamma(x) = pi cot(pi x)
  Mask isSmall = right < 1;             // digamma(x) = digamma(1 + x) - 1 / x
  Real low = min(select(isSmall, right + 1, right), 2), high = max(right, 2);
  Real small = ((low - kZero) - kZeroRest) *
               (polynomial(kDigammaTop, low) / polynomial(kDigammaBottom, low));
  small = select(isSmall, small - 1 / right, small);
  Real inverse = 1 / high, square = inverse * inverse;
  Real large = log(high) - (0.5f * inverse + square * polynomial(kDigammaLarge, square));
  Real result = select(right < 2, small, large);
  result = select(x < 0, result - kPi / tan(kPi * (x - roundToEven(x))), result);
  Real pole = select(floor(x) == x, kNaN, result);
  return select(x <= 0, pole, result);
}

} // namespace systole::expansion
