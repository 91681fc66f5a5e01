// Arithmetic on pairs of 32-bit words.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Wide64/Words.h"

#include "compiler/Tensor/Indices.h"
#include "dialects/Kernel/Kernel.h"

#include <cassert>

using namespace mlir;

namespace systole::wide64 {

using namespace stablehlo;
using namespace expansion;

Expressions::Expressions(Operation *op)
    : t(op), i1(t.b.getI1Type()), i32(t.b.getI32Type()),
      u32(t.b.getIntegerType(32, /*isSigned=*/false)) {}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value Expressions::as(Value word, Type element) {
  auto constant = word.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  // Keeps splat constants foldable.
  if (elements && elements.isSplat() && elements.getElementType() != element)
    return ConstantOp::create(t.b, t.loc, elements.bitcast(element));
  return t.bitcast(word, element);
}

bool Expressions::isZero(Value value) { return splatOf(value) == 0; }

Value Expressions::add(Value x, Value y) {
  return isZero(x) ? y : isZero(y) ? x : t.apply<AddOp>(x, y);
}

Value Expressions::subtract(Value x, Value y) { return isZero(y) ? x : t.apply<SubtractOp>(x, y); }

Value Expressions::multiply(Value x, Value y) {
  return isZero(x) || splatOf(y) == 1 ? x : isZero(y) || splatOf(x) == 1 ? y : t.apply<MulOp>(x, y);
}

Value Expressions::multiplyHigh(Value x, Value y) {
  for (Value factor : {x, y})
    if (std::optional<int64_t> number = splatOf(factor); number == 0 || number == 1)
      return zero(x);
  return kernel::MulHighOp::create(t.b, t.loc, x, y);
}

Value Expressions::bitOr(Value x, Value y) {
  return isZero(x) ? y : isZero(y) ? x : t.apply<OrOp>(x, y);
}

Value Expressions::shiftLeft(Value x, Value by) {
  if (isZero(x) || isZero(by))
    return x;
  std::optional<int64_t> amount = splatOf(by);
  return amount && *amount >= 32 ? zero(x) : t.apply<ShiftLeftOp>(x, by);
}

Value Expressions::shiftRight(Value x, Value by) {
  if (isZero(x) || isZero(by))
    return x;
  std::optional<int64_t> amount = splatOf(by);
  return amount && *amount >= 32 ? zero(x) : t.apply<ShiftRightLogicalOp>(x, by);
}

Value Expressions::signs(Value x) {
  return word(t.apply<ShiftRightArithmeticOp>(as(x, i32), t.number(i32, 31, shapeOf(x))));
}

//===----------------------------------------------------------------------===//
// Pairs of words
//===----------------------------------------------------------------------===//

// The carry of the low words is added to the high words first: each operation then depends on the
// previous one, so that fusion finds one group.
Words Expressions::add(const Words &x, const Words &y) {
  assert(x.high && y.high && "numbers of two words");
  Value low = add(x.low, y.low), high = x.high;
  if (!isZero(x.low) && !isZero(y.low))
    high = add(high, bit(less(low, y.low)));
  return {low, add(high, y.high)};
}

Words Expressions::subtract(const Words &x, const Words &y) {
  assert(x.high && y.high && "numbers of two words");
  Value low = subtract(x.low, y.low), high = x.high;
  // A borrow occurred if the difference is larger than the minuend.
  if (!isZero(y.low))
    high = t.apply<SubtractOp>(high, bit(less(x.low, low)));
  return {low, subtract(high, y.high)};
}

Words Expressions::negate(const Words &x) {
  Value none = zero(x.low);
  Value borrow = bit(isNonZero(x.low));
  Value high = isZero(x.high) ? none : t.apply<SubtractOp>(none, x.high);
  return {t.apply<SubtractOp>(none, x.low), t.apply<SubtractOp>(high, borrow)};
}

Words Expressions::multiply(const Words &x, const Words &y) {
  assert(x.high && y.high && "numbers of two words");
  Value cross = add(multiply(x.low, y.high), multiply(x.high, y.low));
  return {multiply(x.low, y.low), add(multiplyHigh(x.low, y.low), cross)};
}

Value Expressions::less(const Words &x, const Words &y, bool isSigned) {
  assert(x.high && y.high && "numbers of two words");
  Value below = isSigned ? lessSigned(x.high, y.high) : less(x.high, y.high);
  return either(below, both(equal(x.high, y.high), less(x.low, y.low)));
}

Value Expressions::equal(const Words &x, const Words &y) {
  return both(equal(x.low, y.low), equal(x.high, y.high));
}

// An amount of 32 or more moves bits from one word to the other: negative differences of amounts
// become large ones, which shift all bits out.
Words Expressions::shiftLeft(const Words &x, Value by) {
  Value width = number(32, by);
  if (std::optional<int64_t> amount = splatOf(by)) {
    Value rest = number(*amount < 32 ? 32 - *amount : *amount - 32, by);
    if (*amount >= 32)
      return {zero(by), shiftLeft(x.low, rest)};
    return {shiftLeft(x.low, by), bitOr(shiftLeft(x.high, by), shiftRight(x.low, rest))};
  }
  Value carried =
      bitOr(shiftRight(x.low, subtract(width, by)), shiftLeft(x.low, subtract(by, width)));
  return {shiftLeft(x.low, by), bitOr(shiftLeft(x.high, by), carried)};
}

Words Expressions::shiftRight(const Words &x, Value by) {
  Value width = number(32, by);
  if (std::optional<int64_t> amount = splatOf(by)) {
    Value rest = number(*amount < 32 ? 32 - *amount : *amount - 32, by);
    if (*amount >= 32)
      return {shiftRight(x.high, rest), zero(by)};
    return {bitOr(shiftRight(x.low, by), shiftLeft(x.high, rest)), shiftRight(x.high, by)};
  }
  Value carried =
      bitOr(shiftLeft(x.high, subtract(width, by)), shiftRight(x.high, subtract(by, width)));
  return {bitOr(shiftRight(x.low, by), carried), shiftRight(x.high, by)};
}

//===----------------------------------------------------------------------===//
// Reals
//===----------------------------------------------------------------------===//

static constexpr double kTwo32 = 4294967296.0;

Value Expressions::roughReal(const Words &x) {
  Type f32 = t.b.getF32Type();
  Value high = t.apply<MulOp>(t.convert(x.high, f32), real(kTwo32, x.high));
  return t.apply<AddOp>(high, t.convert(x.low, f32));
}

Words Expressions::fromReal(Value x) {
  Type f32 = t.b.getF32Type();
  // Both conversions are exact: a significand has 24 bits, and the remainder has only lower ones.
  Value high = t.convert(t.apply<MulOp>(x, real(1 / kTwo32, x)), u32);
  Value taken = t.apply<MulOp>(t.convert(high, f32), real(kTwo32, x));
  return {t.convert(t.apply<SubtractOp>(x, taken), u32), high};
}

// Estimates the quotient of the remainder from below, repeatedly. The reciprocal, the conversions
// and the product have a relative error below 7 * 2^-24, and the factor subtracts 8 * 2^-24: an
// estimate is never too large, and too small by less than 2^-20 of itself plus 1. The remaining
// quotient thus decreases from 2^64 to 2^44 + 1, 2^24 + 2, 18, and less than 2.
Words Expressions::divide(const Words &x, const Words &y, Words &rest) {
  Value inverse = t.apply<DivOp>(real(1, x.low), roughReal(y));
  inverse = t.apply<MulOp>(inverse, real(1 - 8.0 / (1 << 24), x.low));
  auto estimate = [&] { return t.apply<MulOp>(roughReal(rest), inverse); };
  rest = x;
  Words quotient = fromReal(estimate());
  rest = subtract(rest, multiply(quotient, y));
  for (bool isSmall : {false, true, true}) {
    Words part = isSmall ? Words{t.convert(estimate(), u32), zero(x.low)} : fromReal(estimate());
    rest = subtract(rest, multiply(part, y));
    quotient = add(quotient, part);
  }
  Value again = t.apply<NotOp>(less(rest, y, /*isSigned=*/false));
  quotient = add(quotient, Words{bit(again), zero(x.low)});
  rest = select(again, subtract(rest, y), rest);
  Value byZero = isZero(y);
  rest = select(byZero, x, rest);
  return select(byZero, wideNumber(~uint64_t(0), x.low), quotient);
}

} // namespace systole::wide64
