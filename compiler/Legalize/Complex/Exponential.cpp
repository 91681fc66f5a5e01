// Exponentials, logarithms and powers of complex numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Complex.h"

using namespace mlir;

namespace systole::complex {

using expansion::kInfinity, expansion::kLn2;

/// Whether e^x is the square of e^(x/2), so that its products with smaller factors do not overflow.
static Mask isLarge(Real x) {
  constexpr double nearly = 0.9;
  return x > nearly * kLn2 * largestExponentOf(x);
}

Complex exp(Complex x) {
  Mask squares = isLarge(x.re);
  Real power = exp(select(squares, 0.5f * x.re, x.re));
  // Zero where e^x is, and infinite only if the product is.
  auto scaled = [&](Real factor) {
    Real product = power * factor;
    return select(squares, product * power, product);
  };
  Complex result = {scaled(cos(x.im)), scaled(sin(x.im))};
  result.im = select(x.im == 0, x.im, result.im);
  Real zero = x.re.number(0);
  return select(x.re == -kInfinity, {zero, zero}, result);
}

Complex expm1(Complex x) {
  Real half = sin(0.5f * x.im), less = expm1(x.re);
  Real re = less * cos(x.im) - 2 * (half * half);
  Complex whole = exp(x);
  return {select(isLarge(x.re), whole.re, select(x.im == 0, less, re)), whole.im};
}

namespace {

/// A complex number for the logarithm of its magnitude, which near 1 is that of the square.
struct Magnitude {
  Complex of;
  Real larger, smaller;
  Mask isNear;
  Real excess; ///< the square less one, where it is near

  explicit Magnitude(Complex x)
      : of(x), larger(max(abs(x.re), abs(x.im))), smaller(min(abs(x.re), abs(x.im))),
        isNear((larger > 0.5f) & (larger < 2)),
        // The larger term is exact.
        excess((larger - 1) * (larger + 1) + smaller * smaller) {}

  Real log() const {
    Real ratio = smaller / larger;
    Real rest = 0.5f * log1p(select(isNear, excess, ratio * ratio));
    Real result = select(isNear, rest, expansion::log(larger) + rest);
    result = select(larger == 0, -kInfinity, result);
    return select(isInfinite(of.re) | isInfinite(of.im), kInfinity, result);
  }
};

Real logAbs(Complex x) { return Magnitude(x).log(); }

} // namespace

Complex log(Complex x) { return {logAbs(x), atan2(x.im, x.re)}; }

Complex log1p(Complex x) {
  Magnitude moved({x.re + 1, x.im});
  Mask isSmall = (abs(x.re) < 0.5f) & (abs(x.im) < 0.5f);
  moved.isNear = moved.isNear | isSmall;
  moved.excess = select(isSmall, x.re * (x.re + 2) + x.im * x.im, moved.excess);
  return {moved.log(), atan2(moved.of.im, moved.of.re)};
}

Complex pow(Complex x, Complex y) {
  Real size = abs(x), angle = atan2(x.im, x.re);
  Real magnitude = pow(size, y.re) * exp(-(y.im * angle));
  Real turned = y.re * angle;
  turned = select(y.im == 0, turned, turned + y.im * logAbs(x));
  Complex result = {magnitude * cos(turned), magnitude * sin(turned)};
  Real zero = x.re.number(0), one = x.re.number(1);
  Mask isZero = (x.re == 0) & (x.im == 0);
  result = select(isZero & (y.re > 0), {zero, zero}, result);
  return select((y.re == 0) & (y.im == 0), {one, zero}, result);
}

// e^(x/2) over twice the hyperbolic cosine of x/2, both times e^-|re x/2|: the divisor cancels
// nowhere near the poles, and the imaginary part nowhere.
Complex logistic(Complex x) {
  Mask isLeft = x.re < 0;
  Real size = -abs(x.re), power = exp(size), less = expm1(size);
  Real half = 0.5f * x.im, c = cos(half), s = sin(half);
  Real cosine = (1 + power) * (c * c), sine = less * (s * s);
  Real divisor = (1 + power) * cosine + less * sine;
  Real re = select(isLeft, power * (cosine + sine), cosine - sine);
  return {re / divisor, 2 * (power * (c * s)) / divisor};
}

} // namespace systole::complex
