// Exponentials, logarithms and powers of complex numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Complex/Complex.h"

using namespace mlir;

namespace systole::complex {

using expansion::kInfinity;

/// The size of an exponent for which e^x is the square of e^(x/2), so that its products with
/// smaller factors do not overflow.
static constexpr float kLarge = 80;

namespace {

/// factor * e^x; zero where e^x is, and infinite only if that is.
Real scaledExp(Real x, Real factor) {
  Real root = exp(0.5f * x);
  Real large = (root * factor) * root;
  return select(x < kLarge, exp(x) * factor, large);
}

} // namespace

Complex exp(Complex x) {
  Complex result = {scaledExp(x.re, cos(x.im)), scaledExp(x.re, sin(x.im))};
  result.im = select(x.im == 0, x.im, result.im);
  Real zero = x.re.number(0);
  return select(x.re == -kInfinity, {zero, zero}, result);
}

Complex expm1(Complex x) {
  Real half = sin(0.5f * x.im);
  Real re = expm1(x.re) * cos(x.im) - 2 * (half * half);
  Complex whole = exp(x);
  return {select(x.re < kLarge, select(x.im == 0, expm1(x.re), re), whole.re), whole.im};
}

/// Of the magnitude. Near 1 it is that of the square less one, whose larger term is exact.
static Real logAbs(Complex x) {
  Real re = abs(x.re), im = abs(x.im);
  Real larger = max(re, im), smaller = min(re, im), ratio = smaller / larger;
  Real far = log(larger) + 0.5f * log1p(ratio * ratio);
  Real near = 0.5f * log1p((larger - 1) * (larger + 1) + smaller * smaller);
  Real result = select((larger > 0.5f) & (larger < 2), near, far);
  result = select(larger == 0, -kInfinity, result);
  return select(isInfinite(x.re) | isInfinite(x.im), kInfinity, result);
}

Complex log(Complex x) { return {logAbs(x), atan2(x.im, x.re)}; }

Complex log1p(Complex x) {
  Complex moved = {x.re + 1, x.im};
  Real near = 0.5f * log1p(x.re * (x.re + 2) + x.im * x.im);
  Mask isNear = (abs(x.re) < 0.5f) & (abs(x.im) < 0.5f);
  return {select(isNear, near, logAbs(moved)), atan2(moved.im, moved.re)};
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

// e^-|re x| does not overflow.
Complex logistic(Complex x) {
  Mask isLeft = x.re < 0;
  Complex power = exp(select(isLeft, x, -x));
  Complex one = {x.re.number(1), x.im.number(0)};
  return divide(select(isLeft, power, one), one + power);
}

} // namespace systole::complex
