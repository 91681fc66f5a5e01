// The Hurwitz zeta function and the derivatives of digamma.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// Bernoulli numbers of even order from 2 on, each divided by the factorial of its order.
constexpr float kBernoulli[] = {0x1.555556p-4f,   -0x1.6c16c2p-10f, 0x1.1566acp-15f,
                                -0x1.bbd77ap-21f, 0x1.66a8f2p-26f,  -0x1.22805ep-31f,
                                0x1.d6db2cp-37f};
/// Terms of the sum before Euler and Maclaurin's formula, which is exact in f32 from there on.
constexpr int kTerms = 9;

namespace {

/// The terms of the sum, times the square of a scale, as long as sums of what is too small for f32
/// may be large enough: the squares of scaled roots.
struct Terms {
  Real exponent, scale;
  Mask isOdd;

  Terms(Real s, Real q)
      : exponent(-0.5f * s), scale(select(root(q) < 0x1p-30f, 0x1p+30f, s.number(1))),
        isOdd(!(floor(exponent) == exponent)) {}

  Real root(Real base) const { return pow(abs(base), exponent); }
  Real of(Real base) const {
    Real scaled = root(base) * scale, size = scaled * scaled;
    return select(isOdd & (base < 0), -size, size);
  }
};

/// The integral from the first term that is left out on, half of that term, and derivatives there.
Real restOfSum(const Terms &terms, Real s, Real first) {
  Real term = terms.of(first), inverse = 1 / first;
  Real derivative = s * inverse;
  Real rest = first / (s - 1) + 0.5f;
  for (auto [order, coefficient] : llvm::enumerate(kBernoulli)) {
    rest = rest + derivative * coefficient;
    auto next = static_cast<float>(2 * order + 1);
    derivative = derivative * (((s + next) * inverse) * ((s + (next + 1)) * inverse));
  }
  return select(term == 0, 0.0f, term * rest);
}

} // namespace

Real zeta(Real s, Real q) {
  Terms terms(s, q);
  Real sum = restOfSum(terms, s, q + kTerms);
  for (int k = kTerms - 1; k >= 0; --k)
    sum = sum + terms.of(q + static_cast<float>(k));
  Real inverse = 1 / terms.scale;
  sum = select(s == 1, kInfinity, sum * inverse * inverse);
  // The power of a negative number is real for integers only.
  Mask isDefined = (floor(s) == s) | (q > 0);
  sum = select(isDefined, sum, kNaN);
  sum = select((q <= 0) & (floor(q) == q), kInfinity, sum);
  return select(s < 1, kNaN, sum);
}

Real polygamma(Real n, Real x) {
  // The largest order whose factorial is finite in f32.
  constexpr int kMostFactors = 34;
  Real factorial = max(n, 1);
  for (int k = 1; k <= kMostFactors; ++k)
    factorial = factorial * max(n - static_cast<float>(k), 1);
  Real half = 0.5f * n;
  Real sign = select(floor(half) == half, -1.0f, n.number(1));
  Real derivative = sign * factorial * zeta(n + 1, x);
  Real result = select(n == 0, digamma(x), derivative);
  return select((n < 0) | !(floor(n) == n), kNaN, result);
}

} // namespace systole::expansion
