// Formulas on tensors of complex numbers, as pairs of tensors of f32 or f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_COMPLEX_COMPLEX_H
#define SYSTOLE_COMPILER_LEGALIZE_COMPLEX_COMPLEX_H

#include "compiler/Legalize/Chlo/Real.h"

namespace systole::complex {

using expansion::Mask;
using expansion::Real;

/// A tensor of complex numbers.
struct Complex {
  Real re, im;

  friend Complex operator+(Complex x, Complex y) { return {x.re + y.re, x.im + y.im}; }
  friend Complex operator-(Complex x, Complex y) { return {x.re - y.re, x.im - y.im}; }
  friend Complex operator-(Complex x) { return {-x.re, -x.im}; }
  friend Complex operator*(Complex x, Complex y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  friend Complex operator*(Complex x, Real y) { return {x.re * y, x.im * y}; }
};

inline Complex select(Mask mask, Complex x, Complex y) {
  return {select(mask, x.re, y.re), select(mask, x.im, y.im)};
}
/// The number turned by a quarter, to the left and to the right.
inline Complex timesI(Complex x) { return {-x.im, x.re}; }
inline Complex overI(Complex x) { return {x.im, -x.re}; }
inline Complex conjugate(Complex x) { return {x.re, -x.im}; }

/// The bits of a significand, with the first one, and the largest exponent of the parts' format.
int precisionOf(Real x);
int largestExponentOf(Real x);

/// The magnitude of `magnitude` with the sign of `sign`, of a zero and a NaN, too.
Real copySign(Real magnitude, Real sign);

// Functions without loss of intermediate results to overflow. Where C's Annex G defines the values
// of infinite numbers, they are those. Denormals of f32 are flushed to zero.
Complex divide(Complex x, Complex y);
Real abs(Complex x);
Complex sign(Complex x);
Complex sqrt(Complex x);
Complex rsqrt(Complex x);
Complex cbrt(Complex x);

Complex exp(Complex x);
Complex expm1(Complex x);
Complex log(Complex x);
Complex log1p(Complex x);
Complex pow(Complex x, Complex y);
Complex logistic(Complex x);

Complex sin(Complex x);
Complex cos(Complex x);
Complex tan(Complex x);
Complex sinh(Complex x);
Complex cosh(Complex x);
Complex tanh(Complex x);

Complex asin(Complex x);
Complex asinAcosKernel(Complex x);
Complex acos(Complex x);
Complex atan(Complex x);
Complex asinh(Complex x);
Complex acosh(Complex x);
Complex atanh(Complex x);
Complex atan2(Complex y, Complex x);

} // namespace systole::complex

#endif // SYSTOLE_COMPILER_LEGALIZE_COMPLEX_COMPLEX_H
