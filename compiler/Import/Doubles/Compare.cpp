// Comparisons of f64 with values converted from narrower types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Bits.h"
#include "dialects/StableHLO/Comparisons.h"

using namespace mlir;

namespace systole::doubles {

using namespace stablehlo;

namespace {

using Rounding = DoubleBits::Rounding;

/// The conversion to f64 from which broadcasts and reshapes produce `value`, if there is one.
ConvertOp widening(Value value) {
  auto convert = startOf(value).getDefiningOp<ConvertOp>();
  if (!convert)
    return nullptr;
  auto type = dyn_cast<RankedTensorType>(convert.getOperand().getType());
  if (!type || !type.hasStaticShape())
    return nullptr;
  Type element = type.getElementType();
  bool isNarrow = element.isF32() || element.isBF16() || element.isF16() ||
                  (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() <= 64);
  return isNarrow ? convert : nullptr;
}

Value other(CompareOp op, Value value) { return op.getLhs() == value ? op.getRhs() : op.getLhs(); }

/// How an f64 on the right-hand side of `direction` is rounded to f32: an f32 is below the f64 if
/// and only if it is below the smallest f32 that is not less than the f64.
Rounding roundingFor(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
  case ComparisonDirection::GE:
    return Rounding::Up;
  case ComparisonDirection::LE:
  case ComparisonDirection::GT:
    return Rounding::Down;
  case ComparisonDirection::EQ:
  case ComparisonDirection::NE:
    return Rounding::Exact;
  }
  llvm_unreachable("every direction is handled");
}

/// The f64 values nearest to integers, as i64 in the same order.
Value orderOf(OpBuilder &b, Value integers) {
  Location loc = integers.getLoc();
  auto type = cast<RankedTensorType>(integers.getType());
  auto unsignedType = type.clone(b.getIntegerType(64, false));
  auto signedType = type.clone(b.getI64Type());
  if (type.getElementType().isUnsignedInteger()) {
    Value magnitude = ConvertOp::create(b, loc, unsignedType, integers);
    return BitcastConvertOp::create(b, loc, signedType, DoubleBits::ofIntegers(b, magnitude));
  }
  Value wide = ConvertOp::create(b, loc, signedType, integers);
  Value magnitude = BitcastConvertOp::create(b, loc, unsignedType, AbsOp::create(b, loc, wide));
  Value order = BitcastConvertOp::create(b, loc, signedType, DoubleBits::ofIntegers(b, magnitude));
  Value zero = ConstantOp::create(b, loc, DenseElementsAttr::get(signedType, APInt(64, 0)));
  Value isNegative =
      CompareOp::create(b, loc, wide, zero, ComparisonDirection::LT, ComparisonTypeAttr());
  return SelectOp::create(b, loc, isNegative, NegOp::create(b, loc, order), order);
}

/// Whether f32 represents every value of `element`.
bool fitsF32(Type element) {
  return isa<FloatType>(element) || element.getIntOrFloatBitWidth() <= 16;
}

} // namespace

bool isNarrowComparison(CompareOp op, Value value) {
  // A total order distinguishes the zeros and the NaNs.
  bool isNumeric =
      !op.getCompareTypeAttr() || op.getCompareTypeAttr().getValue() == ComparisonType::FLOAT;
  return isNumeric && widening(other(op, value));
}

void narrowComparison(CompareOp op, Value value, Value start, Value bits) {
  OpBuilder b(op);
  Value against = other(op, value);
  ConvertOp convert = widening(against);
  ComparisonDirection direction = op.getComparisonDirection();
  if (op.getLhs() == value)
    direction = exchanged(direction);
  Value left = convert.getOperand(), right;
  auto type = cast<RankedTensorType>(left.getType());
  DoubleBits doubles(b, bits);
  if (fitsF32(type.getElementType())) {
    if (!type.getElementType().isF32())
      left = ConvertOp::create(b, op.getLoc(), type.clone(b.getF32Type()), left);
    right = doubles.toF32(roundingFor(direction));
  } else {
    // No integer is beyond these, so a comparison with a NaN is false, except for NE.
    bool isAbove = direction == ComparisonDirection::GT || direction == ComparisonDirection::GE;
    left = orderOf(b, left);
    right = doubles.toOrder(isAbove ? INT64_MAX : INT64_MIN);
  }
  left = rebuild(b, against, convert, left);
  right = rebuild(b, value, start, right);
  op.replaceAllUsesWith(
      CompareOp::create(b, op.getLoc(), left, right, direction, ComparisonTypeAttr()).getResult());
  op.erase();
}

} // namespace systole::doubles
