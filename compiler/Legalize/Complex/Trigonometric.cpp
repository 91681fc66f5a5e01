// Trigonometric and hyperbolic functions of complex numbers, and their inverses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Legalize/Complex/Complex.h"

#include <cmath>

using namespace mlir;

namespace systole::complex {

using expansion::kLn2;

//===----------------------------------------------------------------------===//
// Hyperbolic and trigonometric functions
//===----------------------------------------------------------------------===//

namespace {

/// Beyond, e^-x is negligible beside e^x, and this is factored so that it does not overflow.
constexpr float kLarge = 40;

/// Hyperbolic functions of a real number, each multiplied by another factor.
class Hyperbola {
public:
  explicit Hyperbola(Real x)
      : isLarge(abs(x) > kLarge), less(expm1(select(isLarge, 0.5f * abs(x), abs(x)))),
        power(less + 1), x(x) {}

  Real cosh(Real factor) const {
    return product(1 + (0.5f * less) * (less / power), 0.5f * power, factor);
  }
  /// Zero where this one is.
  Real sinh(Real factor) const {
    auto signedLike = [this](Real size) { return copySign(0.5f * size, x); };
    return select(x == 0, x, product(signedLike(less + less / power), signedLike(power), factor));
  }

private:
  /// `small` is the function of numbers that are not large, that of large ones `large` * power.
  Real product(Real small, Real large, Real factor) const {
    return select(isLarge, (large * factor) * power, small * factor);
  }

  Mask isLarge;
  Real less, power; ///< e^|x| less one and whole, or that of half of a large number
  Real x;
};

} // namespace

Complex sinh(Complex x) {
  Hyperbola h(x.re);
  return {h.sinh(cos(x.im)), select(x.im == 0, x.im, h.cosh(sin(x.im)))};
}

Complex cosh(Complex x) {
  Hyperbola h(x.re);
  Real im = h.sinh(sin(x.im));
  return {h.cosh(cos(x.im)), select(x.im == 0, x.im * expansion::sign(x.re), im)};
}

// After Kahan, "Branch cuts for complex elementary functions": no difference cancels.
Complex tanh(Complex x) {
  Mask saturates = abs(x.re) > 0.5f * kLn2 * (precisionOf(x.re) + 3);
  Real less = expm1(abs(x.re)), power = less + 1;
  Real tangent = tan(x.im), sine = copySign(0.5f * (less + less / power), x.re);
  Real beta = 1 + tangent * tangent, square = sine * sine, rho = sqrt(1 + square);
  Real divisor = 1 + beta * square;
  Complex small = {beta * rho * sine / divisor, tangent / divisor};
  // The product of sine and cosine follows from the tangent.
  Complex large = {copySign(x.re.number(1), x.re), 4 * (tangent / beta / power) / power};
  large.im = select(isInfinite(x.re), 0.0f, large.im);
  return select(saturates, large, small);
}

Complex sin(Complex x) { return overI(sinh(timesI(x))); }
Complex cos(Complex x) { return cosh(timesI(x)); }
Complex tan(Complex x) { return overI(tanh(timesI(x))); }

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

namespace {

/// Whether squares and more may overflow; these functions are logarithms there.
Mask isHuge(Complex x) {
  return max(abs(x.re), abs(x.im)) > std::ldexp(1.0, largestExponentOf(x.re) / 3);
}

/// sqrt(1 - x) and sqrt(1 + x).
struct Roots {
  Complex minus, plus;
};
Roots rootsOf(Complex x) { return {sqrt({1 - x.re, -x.im}), sqrt({1 + x.re, x.im})}; }

/// The inverse hyperbolic sine of `sine`; where `x` is huge the logarithm of twice its magnitude,
/// with the sign of `sign`.
Real asinhOrLog(Mask isHuge, Complex x, Real sine, Real sign) {
  // That is the same of a quarter, which does not overflow, and the logarithm of four.
  Real result = expansion::asinh(select(isHuge, abs(x * x.re.number(0.25)), sine));
  return select(isHuge, copySign(result + 2 * kLn2, sign), result);
}

} // namespace

/// The arc sine's imaginary part, and the number to which its real part has the tangent of x's.
/// Also after Kahan. The sum of products has terms of one sign.
static Complex arcSineParts(Complex x) {
  Roots roots = rootsOf(x);
  Complex product = roots.minus * roots.plus, other = conjugate(roots.minus) * roots.plus;
  Mask huge = isHuge(x);
  return {select(huge, abs(x.im), product.re), asinhOrLog(huge, x, other.im, x.im)};
}

Complex asin(Complex x) {
  Complex parts = arcSineParts(x);
  return {atan2(x.re, parts.re), parts.im};
}

Complex asinAcosKernel(Complex x) {
  Complex parts = arcSineParts(x);
  return {parts.re, abs(parts.im)};
}

Complex acos(Complex x) {
  Roots roots = rootsOf(x);
  Complex other = conjugate(roots.plus) * roots.minus;
  Mask huge = isHuge(x);
  Real angle = atan2(select(huge, abs(x.im), roots.minus.re), select(huge, x.re, roots.plus.re));
  return {select(huge, angle, 2 * angle), asinhOrLog(huge, x, other.im, -x.im)};
}

Complex acosh(Complex x) {
  Complex minus = sqrt({x.re - 1, x.im}), plus = sqrt({x.re + 1, x.im});
  Complex product = conjugate(minus) * plus;
  Mask huge = isHuge(x);
  Real angle = atan2(select(huge, x.im, minus.im), select(huge, x.re, plus.re));
  return {asinhOrLog(huge, x, product.re, x.re.number(1)), select(huge, angle, 2 * angle)};
}

// log((1 + x) / (1 - x)) / 2: of the magnitudes, the squares differ by 4 re x.
Complex atanh(Complex x) {
  Real less = 1 - abs(x.re), more = 1 + abs(x.re);
  Real re = 0.25f * log1p(4 * abs(x.re) / (less * less + x.im * x.im));
  Real im = 0.5f * atan2(2 * x.im, less * more - x.im * x.im);
  // The real part is that of the reciprocal.
  Real quotient = divide({x.re.number(1), x.re.number(0)}, x).re;
  Real quarter = x.im.number(0.5f * expansion::kPi);
  Complex huge = {quotient, copySign(quarter, x.im)};
  return select(isHuge(x), huge, {copySign(re, x.re), im});
}

Complex asinh(Complex x) { return overI(asin(timesI(x))); }
Complex atan(Complex x) { return overI(atanh(timesI(x))); }

Complex atan2(Complex y, Complex x) {
  Complex square = x * x + y * y;
  return overI(log(divide(x + timesI(y), sqrt(square))));
}

} // namespace systole::complex
