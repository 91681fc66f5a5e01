// The error function, its complement and its inverse.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"

using namespace mlir;

namespace systole::expansion {

// Coefficients are minimax fits of the quotients in the comments over the intervals next to them,
// by reweighted least squares in f64.

// 2 / sqrt(pi).
constexpr float kErfSlope = 0x1.20dd76p+0f;
// Numerator and denominator of atanh(erf(x)) / x - 1 as functions of x^2, for |x| <= 3.95.
constexpr float kErfTop[] = {0x1.06eba8p-3f, 0x1.f774eep-4f, 0x1.3695dap-6f, 0x1.e5d896p-10f};
constexpr float kErfBottom[] = {1.0f, 0x1.4150e2p-3f, 0x1.8422aep-6f, 0x1.54b516p-12f};
// (x + 1.625) e^(x^2) erfc(x) as a function of (x - 1.625) / (x + 1.625), for x up to 10.06.
constexpr float kErfcCentre = 1.625f;
constexpr float kErfc[] = {0x1.f6f67p-1f,   -0x1.1ec4d4p-1f, 0x1.0517bp-3f,   0x1.20e436p-5f,
                           -0x1.180244p-6f, -0x1.d1fc64p-8f, 0x1.d904d2p-10f, 0x1.e6233p-10f,
                           0x1.4a52f4p-13f, -0x1.53088p-12f, -0x1.e94aacp-14f};
// erf_inv(x) / x as a function of w - 2.5, where w = -log(1 - x^2) <= 5.
constexpr float kErfInvCentre[] = {0x1.805c5ep+0f,   0x1.f91e8cp-3f,  -0x1.11c42p-8f,
                                   -0x1.486646p-10f, 0x1.c9c598p-13f, -0x1.4cfcf8p-18f,
                                   -0x1.ccfc5cp-19f, 0x1.f43f54p-22f, 0x1.35e052p-26f,
                                   -0x1.2d6e46p-27f, 0x1.70ef32p-32f};
// The same as a function of sqrt(w) - 3, for w from 5 to 16.
constexpr float kErfInvTail[] = {
    0x1.6a9efcp+1f,  0x1.006dc8p+0f,  0x1.358424p-7f,   -0x1.f4a808p-8f,  0x1.7473cep-8f,
    -0x1.d62758p-9f, 0x1.88215ap-10f, -0x1.415d9ap-14f, -0x1.4e34fap-12f, 0x1.0e755cp-13f};

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

/// erfc(x) for x >= 0. The relative error of the exponential grows with the rounding error of
/// x^2, so x^2 is the sum of an exact square and a small remainder.
static Real erfcOfPositive(Real x) {
  // For larger x the result is below the smallest normal number.
  x = min(x, 10.5f);
  Real upper = upperHalf(x), inverse = 1 / (x + kErfcCentre);
  Real quotient = inverse * polynomial(kErfc, (x - kErfcCentre) * inverse);
  return exp(-(upper * upper)) * (exp((upper - x) * (upper + x)) * quotient);
}

/// The machine has an instruction for tanh, which damps the relative error of its argument. The
/// multiple of x that comes first is exact; of the smallest x, the other one would be denormal.
Real erf(Real x) {
  // For larger x the result is 1.
  Real square = min(x * x, 16);
  Real rest = polynomial(kErfTop, square) / polynomial(kErfBottom, square);
  Real argument = select(square < 0x1p-100f, x * kErfSlope, x + x * rest);
  return function<stablehlo::TanhOp>(argument);
}

Real erfc(Real x) {
  Real tail = erfcOfPositive(abs(x));
  return select(x < 0, 2 - tail, tail);
}

Real erfInv(Real x) {
  // 1 - x is exact near 1.
  Real w = -log((1 - x) * (1 + x));
  Real quotient =
      select(w < 5, polynomial(kErfInvCentre, w - 2.5f), polynomial(kErfInvTail, sqrt(w) - 3));
  return select(abs(x) == 1, x * kInfinity, quotient * x);
}

} // namespace systole::expansion
