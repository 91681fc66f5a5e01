// Quotients, magnitudes and roots of complex numbers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Complex/Complex.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::complex {

using namespace stablehlo;
using expansion::kInfinity, expansion::kNaN;

namespace {

const llvm::fltSemantics &formatOf(Real x) {
  return cast<FloatType>(getElementTypeOrSelf(x.value())).getFloatSemantics();
}

/// The bits of a real number, a signed integer.
struct Bits {
  Real of;
  Value value;

  explicit Bits(Real x)
      : of(x), value(BitcastConvertOp::create(
                   x.builder(), x.location(),
                   cast<RankedTensorType>(x.value().getType())
                       .clone(x.builder().getIntegerType(APFloat::getSizeInBits(formatOf(x)))),
                   x.value())) {}
  Bits(Real of, Value value) : of(of), value(value) {}

  Bits number(const APInt &bits) const {
    auto type = cast<RankedTensorType>(value.getType());
    return {of,
            ConstantOp::create(of.builder(), of.location(), DenseElementsAttr::get(type, bits))};
  }
  template <typename Op> Bits apply(Bits y) const {
    return {of, Op::create(of.builder(), of.location(), value, y.value)};
  }
  template <typename Op> Bits apply(const APInt &y) const { return apply<Op>(number(y)); }
  Real real() const {
    return {of.builder(), of.location(),
            BitcastConvertOp::create(of.builder(), of.location(), of.value().getType(), value)};
  }
};

/// A power of two and its reciprocal.
struct Scale {
  Real to, from;
};

/// The power of two that scales a magnitude to [1, 2), or the nearest normal number to it.
Scale scaleOf(Real magnitude) {
  const llvm::fltSemantics &format = formatOf(magnitude);
  APInt smallest = APFloat::getSmallestNormalized(format).bitcastToAPInt();
  Bits exponent =
      Bits(magnitude).apply<AndOp>(APFloat::getInf(format).bitcastToAPInt()).apply<MaxOp>(smallest);
  // The sum of the exponents, as they are encoded, of a power of two and its reciprocal.
  Bits sum = exponent.number(APFloat::getOne(format).bitcastToAPInt().shl(1));
  Bits to = sum.apply<SubtractOp>(exponent).apply<MaxOp>(smallest);
  return {to.real(), sum.apply<SubtractOp>(to).real()};
}

Real largerPart(Complex x) { return max(abs(x.re), abs(x.im)); }

/// One with the sign of `x` if it is infinite, else a zero.
Real infinitePart(Real x) { return copySign(select(isInfinite(x), 1.0f, x.number(0)), x); }

/// The quotient where dividing parts gives two NaNs.
Complex exceptionalQuotient(Complex x, Complex y, Complex quotient) {
  Mask isZero = (y.re == 0) & (y.im == 0);
  Mask isFinite = (abs(y.re) < kInfinity) & (abs(y.im) < kInfinity);
  Mask hasInfiniteDividend = (isInfinite(x.re) | isInfinite(x.im)) & isFinite;
  Mask hasInfiniteDivisor =
      (isInfinite(y.re) | isInfinite(y.im)) & (abs(x.re) < kInfinity) & (abs(x.im) < kInfinity);
  Complex a = select(hasInfiniteDividend, {infinitePart(x.re), infinitePart(x.im)}, x);
  Complex b = select(hasInfiniteDivisor, {infinitePart(y.re), infinitePart(y.im)}, y);
  Real factor = select(hasInfiniteDividend, kInfinity, x.re.number(0));
  factor = select(isZero, copySign(y.re.number(kInfinity), y.re), factor);
  Complex result = select(isZero, x, a * conjugate(b)) * factor;
  return select(isNan(quotient.re) & isNan(quotient.im), result, quotient);
}

} // namespace

int precisionOf(Real x) { return int(APFloat::semanticsPrecision(formatOf(x))); }
int largestExponentOf(Real x) { return APFloat::semanticsMaxExponent(formatOf(x)); }

Real copySign(Real magnitude, Real sign) {
  APInt signBit = APInt::getSignMask(APFloat::getSizeInBits(formatOf(sign)));
  Bits size = Bits(magnitude).apply<AndOp>(~signBit), bit = Bits(sign).apply<AndOp>(signBit);
  return size.apply<OrOp>(bit).real();
}

// Both numbers are scaled by a power of two, so that neither products nor the square of the
// divisor overflow or vanish. The larger factor is undone first, for the same reason.
Complex divide(Complex x, Complex y) {
  Scale dividend = scaleOf(largerPart(x)), divisor = scaleOf(largerPart(y));
  Complex a = x * dividend.to, b = y * divisor.to;
  Real square = b.re * b.re + b.im * b.im;
  Complex product = a * conjugate(b);
  Real first = max(divisor.to, dividend.from), second = min(divisor.to, dividend.from);
  auto part = [&](Real value) { return value / square * first * second; };
  return exceptionalQuotient(x, y, {part(product.re), part(product.im)});
}

namespace {

/// A number divided by its larger part.
struct Normalized {
  Real larger;    ///< the size of the larger part
  Real re;        ///< the size of the real part, divided
  Real im;        ///< the size of the imaginary part, divided
  Real magnitude; ///< between 1 and the square root of 2
};

Normalized normalize(Complex x) {
  Real re = abs(x.re), im = abs(x.im);
  Real larger = max(re, im);
  re = re / larger;
  im = im / larger;
  Real ratio = min(re, im);
  return {larger, re, im, sqrt(1 + ratio * ratio)};
}

Mask hasInfinity(Complex x) { return isInfinite(x.re) | isInfinite(x.im); }
Mask isZero(Complex x) { return (x.re == 0) & (x.im == 0); }

} // namespace

Real abs(Complex x) {
  Real re = abs(x.re), im = abs(x.im);
  Real larger = max(re, im), ratio = min(re, im) / larger;
  Real magnitude = larger * sqrt(1 + ratio * ratio);
  return select(hasInfinity(x), kInfinity, select(larger == 0, 0.0f, magnitude));
}

Complex sign(Complex x) {
  Real scale = scaleOf(largerPart(x)).to;
  Complex scaled = x * scale;
  Real magnitude = sqrt(scaled.re * scaled.re + scaled.im * scaled.im);
  return select(isZero(x), x, {scaled.re / magnitude, scaled.im / magnitude});
}

// For a real part that is not negative, the real part of the root is sqrt((|x| + re x) / 2),
// without cancellation, and the imaginary part follows by a division; else the other way round.
Complex sqrt(Complex x) {
  Normalized n = normalize(x);
  Real major = sqrt(n.larger) * sqrt(0.5f * (n.re + n.magnitude));
  Real minor = abs(x.im) / (2 * major);
  Mask isLeft = x.re < 0;
  Complex root = {select(isLeft, minor, major), copySign(select(isLeft, major, minor), x.im)};
  root = select(isZero(x), {x.re.number(0), x.im}, root);
  Complex right = {x.re, select(isNan(x.im), x.im, copySign(x.im.number(0), x.im))};
  Complex left = {abs(right.im), copySign(x.re, x.im)};
  root = select(isInfinite(x.re), select(isLeft, left, right), root);
  return select(isInfinite(x.im), {abs(x.im), x.im}, root);
}

Complex rsqrt(Complex x) {
  Normalized n = normalize(x);
  Real major = sqrt(0.5f * (n.re + n.magnitude)), minor = n.im / (2 * major);
  Real size = n.magnitude * sqrt(n.larger);
  Mask isLeft = x.re < 0;
  Complex root = {select(isLeft, minor, major) / size,
                  copySign(select(isLeft, major, minor) / size, -x.im)};
  Complex zero = {x.re.number(0), copySign(x.im.number(0), -x.im)};
  root = select(isZero(x), {x.re.number(kInfinity), x.im.number(kNaN)}, root);
  return select(hasInfinity(x), zero, root);
}

Complex cbrt(Complex x) {
  Real size = cbrt(abs(x)), angle = atan2(x.im, x.re) / x.re.number(3);
  return {size * cos(angle), size * sin(angle)};
}

} // namespace systole::complex
