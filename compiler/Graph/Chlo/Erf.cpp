// The error function, its complement and its inverse.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// Coefficients are minimax fits of the quotients in the comments over the intervals next to them,
// by reweighted least squares in f64.

// 2 / sqrt(pi) rounded, and the rest of erf(x) / x as a function of x^2, for |x| <= 1.
constexpr float kErfSlope = 0x1.20dd76p+0f;
constexpr float kErf[] = {-0x1.00e956p-24f, -0x1.81273ep-2f,  0x1.ce2d2p-4f,  -0x1.b7fbb4p-6f,
                          0x1.5419f6p-8f,   -0x1.a485eap-11f, 0x1.4ae4c8p-14f};
// (x + 2) e^(x^2) erfc(x) as a function of (x - 2) / (x + 2), for x from 0.5 to 10.06.
constexpr float kErfcTail[] = {0x1.058672p+0f,   -0x1.5fd386p-1f, 0x1.1e2de2p-2f, -0x1.2a8b9ep-5f,
                               -0x1.605b28p-6f,  0x1.a9845cp-8f,  0x1.905e5ap-9f, -0x1.d3d348p-11f,
                               -0x1.1da18ap-11f, 0x1.ee719p-14f};
// erf_inv(x) / x as a function of w - 2.5, where w = -log(1 - x^2) <= 5.
constexpr float kErfInvCentre[] = {0x1.805c5ep+0f,   0x1.f91e8cp-3f,  -0x1.11c42p-8f,
                                   -0x1.486646p-10f, 0x1.c9c598p-13f, -0x1.4cfcf8p-18f,
                                   -0x1.ccfc5cp-19f, 0x1.f43f54p-22f, 0x1.35e052p-26f,
                                   -0x1.2d6e46p-27f, 0x1.70ef32p-32f};
// The same as a function of sqrt(w) - 3, for w from 5 to 16.
constexpr float kErfInvTail[] = {
    0x1.6a9efcp+1f,  0x1.006dc8p+0f,  0x1.358424p-7f,   -0x1.f4a808p-8f,  0x1.7473cep-8f,
    -0x1.d62758p-9f, 0x1.88215ap-10f, -0x1.415d9ap-14f, -0x1.4e34fap-12f, 0x1.0e755cp-13f};

static Real erfCentre(Real x) { return kErfSlope * x + x * polynomial(kErf, x * x); }

/// `x` without the lower half of its fraction, so that the square is exact.
static Real upperHalf(Real x) {
  OpBuilder &b = x.builder();
  Location loc = x.location();
  auto type = cast<RankedTensorType>(x.value().getType());
  RankedTensorType bits = type.clone(b.getI32Type());
  Value pattern = stablehlo::BitcastConvertOp::create(b, loc, bits, x.value());
  Value mask = stablehlo::ConstantOp::create(b, loc, DenseElementsAttr::get(bits, int32_t(~0xfff)));
  Value upper = stablehlo::AndOp::create(b, loc, pattern, mask);
  return {b, loc, stablehlo::BitcastConvertOp::create(b, loc, type, upper)};
}

/// erfc(x) for x >= 0.5. The relative error of the exponential grows with the rounding error of
/// x^2, so x^2 is the sum of an exact square and a small remainder.
static Real erfcTail(Real x) {
  // For larger x the result is below the smallest normal number.
  x = min(x, 10.5f);
  Real upper = upperHalf(x), inverse = 1 / (x + 2);
  Real quotient = inverse * polynomial(kErfcTail, (x - 2) * inverse);
  return exp(-(upper * upper)) * (exp((upper - x) * (upper + x)) * quotient);
}

Real erf(Real x) {
  Real size = abs(x);
  return select(size < 1, erfCentre(x), sign(x) * (1 - erfcTail(size)));
}

Real erfc(Real x) {
  Real size = abs(x), tail = erfcTail(size);
  return select(size < 0.5f, 1 - erfCentre(x), select(x < 0, 2 - tail, tail));
}

Real erfInv(Real x) {
  // 1 - x is exact near 1.
  Real w = -log((1 - x) * (1 + x));
  Real quotient =
      select(w < 5, polynomial(kErfInvCentre, w - 2.5f), polynomial(kErfInvTail, sqrt(w) - 3));
  return select(abs(x) == 1, x * kInfinity, quotient * x);
}

} // namespace systole::expansion
