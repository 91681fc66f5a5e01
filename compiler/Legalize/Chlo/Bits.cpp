// CHLO operations that compute on the bits of their operands.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Chlo/Expansions.h"
#include "compiler/Legalize/Expand/Integers.h"

using namespace mlir;

namespace systole::expansion {

using namespace stablehlo;

// Floats of one sign, as integers, are ordered by magnitude. All comparisons are integer
// comparisons: float comparisons flush denormals to zero.
Value expandNextAfter(OpBuilder &b, chlo::NextAfterOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto element = cast<FloatType>(type.getElementType());
  unsigned width = element.getWidth();
  Integers i{b, op.getLoc(), type.clone(b.getIntegerType(width))};
  Value x = i.bits(op.getLhs()), y = i.bits(op.getRhs());
  Value magnitude = i.number(APInt::getSignedMaxValue(width)), zero = i.number(int64_t(0));
  Value signBit = i.number(APInt::getSignMask(width)), one = i.number(1);
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  Value infinity = i.number(APFloat::getInf(semantics).bitcastToAPInt());
  Value nan = i.number(APFloat::getQNaN(semantics).bitcastToAPInt());
  Value sizeX = i.apply<AndOp>(x, magnitude), sizeY = i.apply<AndOp>(y, magnitude);
  auto isNaN = [&](Value size) { return i.compare(ComparisonDirection::GT, size, infinity); };
  auto isZero = [&](Value size) { return i.compare(ComparisonDirection::EQ, size, zero); };
  Value either = i.apply<OrOp>(isNaN(sizeX), isNaN(sizeY));
  Value equal = i.apply<OrOp>(i.compare(ComparisonDirection::EQ, x, y),
                              i.apply<AndOp>(isZero(sizeX), isZero(sizeY)));
  Value signs = i.apply<XorOp>(x, y);
  Value towardsZero = i.apply<OrOp>(i.compare(ComparisonDirection::LT, signs, zero),
                                    i.compare(ComparisonDirection::GT, sizeX, sizeY));
  Value next = i.select(towardsZero, i.apply<SubtractOp>(x, one), i.apply<AddOp>(x, one));
  Value least = i.apply<OrOp>(i.apply<AndOp>(y, signBit), one);
  next = i.select(isZero(sizeX), least, next);
  next = i.select(either, nan, i.select(equal, y, next));
  return BitcastConvertOp::create(b, i.loc, type, next);
}

Value expandMulhi(OpBuilder &b, chlo::MulhiOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto element = cast<IntegerType>(type.getElementType());
  unsigned width = element.getWidth();
  bool isSigned = !element.isUnsigned();
  // Narrower products fit into 32 bits.
  if (width < 32) {
    auto wide = IntegerType::get(b.getContext(), 32, element.getSignedness());
    Integers i{b, op.getLoc(), type.clone(wide)};
    Value product = i.apply<MulOp>(i.convert(op.getLhs(), i.type), i.convert(op.getRhs(), i.type));
    Value shift = i.number(width);
    Value high = isSigned ? i.apply<ShiftRightArithmeticOp>(product, shift)
                          : i.apply<ShiftRightLogicalOp>(product, shift);
    return i.convert(high, type);
  }
  // Unsigned multiplication by halves of the bits; no sum of three halves overflows.
  Integers i{b, op.getLoc(), type};
  Value x = op.getLhs(), y = op.getRhs();
  Value half = i.number(width / 2), mask = i.number(APInt::getLowBitsSet(width, width / 2));
  auto low = [&](Value v) { return i.apply<AndOp>(v, mask); };
  auto high = [&](Value v) { return i.apply<ShiftRightLogicalOp>(v, half); };
  Value cross = i.apply<MulOp>(high(x), low(y)), other = i.apply<MulOp>(low(x), high(y));
  Value middle =
      i.apply<AddOp>(high(i.apply<MulOp>(low(x), low(y))), i.apply<AddOp>(low(cross), low(other)));
  Value result = i.apply<AddOp>(i.apply<AddOp>(i.apply<MulOp>(high(x), high(y)), high(middle)),
                                i.apply<AddOp>(high(cross), high(other)));
  if (!isSigned)
    return result;
  // The unsigned value of a negative number is 2^width more.
  Value zero = i.number(int64_t(0));
  auto ifNegative = [&](Value v, Value excess) {
    return i.select(i.compare(ComparisonDirection::LT, v, zero), excess, zero);
  };
  return i.apply<SubtractOp>(result, i.apply<AddOp>(ifNegative(x, y), ifNegative(y, x)));
}

} // namespace systole::expansion
