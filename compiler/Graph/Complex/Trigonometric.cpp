// Trigonometric and hyperbolic functions of complex numbers, and their inverses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Chlo/Expansions.h"
#include "compiler/Graph/Complex/Complex.h"

using namespace mlir;

namespace systole::complex {

using expansion::kInfinity, expansion::kLn2;

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
      : isLarge(abs(x) > kLarge), root(exp(0.5f * abs(x))), cosine(expansion::cosh(x)),
        sine(expansion::sinh(x)), sign(expansion::sign(x)), x(x) {}

  Real cosh(Real factor) const {
    Real large = (0.5f * root * factor) * root;
    return select(isLarge, large, cosine * factor);
  }
  /// Zero where this one is.
  Real sinh(Real factor) const {
    Real large = (0.5f * root * factor) * root * sign;
    return select(x == 0, x, select(isLarge, large, sine * factor));
  }

private:
  Mask isLarge;
  Real root, cosine, sine, sign, x;
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
  constexpr float saturates = 10;
  Real tangent = tan(x.im), sine = expansion::sinh(x.re);
  Real beta = 1 + tangent * tangent, square = sine * sine, rho = sqrt(1 + square);
  Real divisor = 1 + beta * square;
  Complex small = {beta * rho * sine / divisor, tangent / divisor};
  Real decay = exp(-abs(x.re));
  Complex large = {copySign(x.re.number(1), x.re), 4 * (sin(x.im) * cos(x.im) * decay) * decay};
  large.im = select(isInfinite(x.re), 0.0f, large.im);
  return select(abs(x.re) > saturates, large, small);
}

Complex sin(Complex x) { return overI(sinh(timesI(x))); }
Complex cos(Complex x) { return cosh(timesI(x)); }
Complex tan(Complex x) { return overI(tanh(timesI(x))); }

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

namespace {

/// Sizes whose squares and more may overflow; these functions are logarithms there.
constexpr float kHuge = 0x1p+40f;

Mask isHuge(Complex x) { return max(abs(x.re), abs(x.im)) > kHuge; }

/// sqrt(1 - x) and sqrt(1 + x).
struct Roots {
  Complex minus, plus;
};
Roots rootsOf(Complex x) { return {sqrt({1 - x.re, -x.im}), sqrt({1 + x.re, x.im})}; }

/// The logarithm of twice the magnitude.
Real logDouble(Complex x) { return log(x).re + kLn2; }

} // namespace

/// The arc sine's imaginary part, and the number to which its real part has the tangent of x's.
/// Also after Kahan. The sum of products has terms of one sign.
static Complex arcSineParts(Complex x) {
  Roots roots = rootsOf(x);
  Complex product = roots.minus * roots.plus, other = conjugate(roots.minus) * roots.plus;
  Complex huge = {abs(x.im), copySign(logDouble(x), x.im)};
  return select(isHuge(x), huge, {product.re, expansion::asinh(other.im)});
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
  Complex result = {2 * atan2(roots.minus.re, roots.plus.re), expansion::asinh(other.im)};
  Complex huge = {atan2(abs(x.im), x.re), copySign(logDouble(x), -x.im)};
  return select(isHuge(x), huge, result);
}

Complex acosh(Complex x) {
  Complex minus = sqrt({x.re - 1, x.im}), plus = sqrt({x.re + 1, x.im});
  Complex product = conjugate(minus) * plus;
  Complex result = {expansion::asinh(product.re), 2 * atan2(minus.im, plus.re)};
  Complex huge = {logDouble(x), atan2(x.im, x.re)};
  return select(isHuge(x), huge, result);
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
