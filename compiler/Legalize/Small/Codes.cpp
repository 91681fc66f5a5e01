// Conversions between f32 and the bits of floating-point formats of at most 8 bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Small/Codes.h"

using namespace mlir;

namespace systole::small {

using namespace stablehlo;
using expansion::Tensors;
using Direction = ComparisonDirection;

namespace {

// f32: bits of the mantissa, the exponent's bias, and bits of special values.
constexpr int kMantissa = 23, kBias = 127;
constexpr int32_t kInfinity = 0x7f800000, kNaN = 0x7fc00000, kMagnitude = 0x7fffffff;

/// The bits of 2^exponent, for a normal number.
int32_t power(int exponent) { return (exponent + kBias) << kMantissa; }

/// Arithmetic on cells, tensors of i32 of one shape.
class Cells {
public:
  Cells(Tensors &t, Value like) : t(t), shape(shapeOf(like)), i32(t.b.getI32Type()) {}

  Value number(int32_t value) { return t.number(i32, value, shape); }
  Value fromBits(Value bits) { return t.convert(bits, i32); }
  Value toBits(Value cell) { return t.convert(cell, t.b.getIntegerType(8, /*isSigned=*/false)); }
  Value fromReal(Value real) { return t.bitcast(real, i32); }
  Value toReal(Value cell) { return t.bitcast(cell, t.b.getF32Type()); }

  template <typename Op> Value apply(Value x, int32_t y) { return t.apply<Op>(x, number(y)); }
  Value shiftLeft(Value x, int by) { return by ? apply<ShiftLeftOp>(x, by) : x; }
  Value shiftRight(Value x, int by) { return apply<ShiftRightLogicalOp>(x, by); }
  Value is(Direction direction, Value x, int32_t y) { return t.compare(direction, x, number(y)); }

  Tensors &t;

private:
  llvm::SmallVector<int64_t> shape;
  Type i32;
};

Value decodePower(Cells &c, const FloatFormat &format, Value code) {
  // 2^-127 is a denormal.
  Value cell = c.t.select(c.is(Direction::EQ, code, 0), c.number(1 << (kMantissa - 1)),
                          c.shiftLeft(code, kMantissa));
  return c.toReal(c.t.select(c.is(Direction::EQ, code, *format.nan), c.number(kNaN), cell));
}

Rounded encodePower(Cells &c, const FloatFormat &format, Value number) {
  Tensors &t = c.t;
  Value cell = c.fromReal(number);
  // Ties are rounded up: the significand 1.5 is between 1, which is odd, and 2.
  Value up = c.apply<AddOp>(cell, 1 << (kMantissa - 1));
  // The smallest number is a denormal. XLA and ml_dtypes round all denormals above it up.
  Value isDenormal = c.is(Direction::LT, cell, power(format.leastExponent + 1));
  Value isAbove = c.is(Direction::GT, cell, 1 << (kMantissa - 1));
  Value least = t.select(isAbove, c.number(1), c.number(0));
  Value code = t.select(isDenormal, least, c.shiftRight(up, kMantissa));
  // Zero, negative numbers and NaN.
  Value isValid =
      t.apply<AndOp>(c.is(Direction::GT, cell, 0), c.is(Direction::LT, cell, kInfinity));
  code = t.select(isValid, code, c.number(*format.nan));
  return {c.toBits(code), decodePower(c, format, code)};
}

/// The sign, in an f32, of `cell`, whose sign is its bit `bits - 1`.
Value signOf(Cells &c, Value cell, const FloatFormat &format) {
  return c.shiftLeft(c.apply<AndOp>(cell, format.signBit()), 32 - format.bits);
}

} // namespace

Value decode(Tensors &t, const FloatFormat &format, Value bits) {
  Cells c(t, bits);
  Value cell = c.fromBits(bits);
  if (format.isPowerOfTwo)
    return decodePower(c, format, cell);
  Value code = c.apply<AndOp>(cell, format.signBit() - 1);
  Value moved = c.shiftLeft(code, kMantissa - format.mantissa);
  // The smallest normal number has code 2^mantissa. Denormals are the mantissa of a number with its
  // exponent, from which the implicit one is subtracted.
  const int32_t least = power(format.leastExponent);
  Value normal = c.apply<AddOp>(moved, least - (1 << kMantissa));
  Value small =
      t.apply<SubtractOp>(c.toReal(c.apply<AddOp>(moved, least)), c.toReal(c.number(least)));
  Value number =
      t.select(c.is(Direction::LT, code, 1 << format.mantissa), c.fromReal(small), normal);
  // A mantissa of zero is the infinity.
  if (!format.saturates && format.hasNegativeZero)
    number = t.select(c.is(Direction::GT, code, format.largest), c.apply<OrOp>(moved, kInfinity),
                      number);
  number = t.apply<OrOp>(number, signOf(c, cell, format));
  if (!format.hasNegativeZero)
    number = t.select(c.is(Direction::EQ, cell, *format.nan), c.number(kNaN), number);
  return c.toReal(number);
}

Rounded encode(Tensors &t, const FloatFormat &format, Value number) {
  Cells c(t, number);
  if (format.isPowerOfTwo)
    return encodePower(c, format, number);
  Value cell = c.fromReal(number);
  Value magnitude = c.apply<AndOp>(cell, kMagnitude);
  // The factor by which a cell exceeds all numbers does not matter; NaN is such a cell, too.
  Value bounded = c.apply<MinOp>(magnitude, power(format.greatestExponent + 1));
  // The exponent of the number, or that of denormals. A number that is 2^23 times the distance of
  // neighbours at that exponent holds their multiples: its sum is rounded to one.
  const int32_t least = power(format.leastExponent);
  Value exponent = c.apply<MaxOp>(c.apply<AndOp>(bounded, kInfinity), least);
  const int shift = kMantissa - format.mantissa;
  Value anchor = c.apply<AddOp>(exponent, shift << kMantissa);
  Value sum = t.apply<AddOp>(c.toReal(bounded), c.toReal(anchor));
  Value multiple = t.apply<SubtractOp>(c.fromReal(sum), anchor);
  // Multiples of normal numbers include the implicit one, which is the next exponent's unit.
  Value code = t.apply<AddOp>(multiple, c.shiftRight(c.apply<SubtractOp>(exponent, least), shift));
  Value limited = c.apply<MinOp>(code, format.overflow());

  Value isNaN = c.is(Direction::GT, magnitude, kInfinity);
  Value sign = c.apply<AndOp>(c.shiftRight(cell, 32 - format.bits), format.signBit());
  if (!format.hasNegativeZero)
    sign = t.select(c.is(Direction::EQ, code, 0), c.number(0), sign);
  // Without NaN, XLA makes it a negative zero.
  if (format.saturates)
    sign = t.select(isNaN, c.number(format.signBit()), sign);
  Value rounded = c.fromReal(t.apply<SubtractOp>(sum, c.toReal(anchor)));
  if (format.saturates) {
    limited = t.select(isNaN, c.number(0), limited);
    rounded = c.apply<MinOp>(rounded, (format.largest << shift) + least - (1 << kMantissa));
    rounded = t.select(isNaN, c.number(0), rounded);
  } else {
    // Where overflow is NaN, NaN has become it already.
    const bool hasInfinity = format.nan != format.overflow();
    if (hasInfinity)
      limited = t.select(isNaN, c.number(*format.nan), limited);
    Value isLarge = c.is(Direction::GT, code, format.largest);
    rounded = t.select(isLarge, hasInfinity ? c.apply<MaxOp>(magnitude, kInfinity) : c.number(kNaN),
                       rounded);
  }
  Value bits = t.apply<OrOp>(limited, sign);
  Value signedNumber = t.apply<OrOp>(rounded, c.shiftLeft(sign, 32 - format.bits));
  return {c.toBits(bits), c.toReal(signedNumber)};
}

} // namespace systole::small
