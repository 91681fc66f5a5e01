// Chains of f64 values, and integer arithmetic on their bits.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Bits.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::doubles {

using namespace stablehlo;

namespace {

constexpr uint64_t kSign = uint64_t(1) << 63;
constexpr uint64_t kWideInfinity = uint64_t(0x7ff) << 52;
constexpr uint64_t kDropped = 29; // mantissa bits of f64 beyond those of f32
// The smallest exponent of f32 is 2^-126, encoded in f64 as 897.
constexpr uint64_t kBias = uint64_t(896) << 52, kSmallestWide = uint64_t(897) << 52;
constexpr uint64_t kSmallestExponent = 23; // the smallest normal f32, at bit 23
constexpr uint64_t kLargest = 0x7f7fffff, kInfinity = 0x7f800000, kNan = 0x7fc00000;

} // namespace

Value rebuild(OpBuilder &b, Value value, Value start, Value other) {
  SmallVector<Operation *> chain;
  for (; value != start; value = chain.back()->getOperand(0))
    chain.push_back(value.getDefiningOp());
  for (Operation *op : llvm::reverse(chain)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    IRMapping mapping;
    mapping.map(op->getOperand(0), other);
    Operation *copy = b.clone(*op, mapping);
    copy->getResult(0).setType(type.clone(getElementTypeOrSelf(other)));
    other = copy->getResult(0);
  }
  return other;
}

Value DoubleBits::number(uint64_t value) {
  return ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(64, value)));
}
Value DoubleBits::both(Value x, Value y) { return AndOp::create(b, loc, x, y); }
Value DoubleBits::add(Value x, Value y) { return AddOp::create(b, loc, x, y); }
Value DoubleBits::right(Value x, uint64_t amount) {
  return ShiftRightLogicalOp::create(b, loc, x, number(amount));
}
Value DoubleBits::compare(ComparisonDirection direction, Value x, Value y) {
  return CompareOp::create(b, loc, x, y, direction, ComparisonTypeAttr());
}
Value DoubleBits::select(Value mask, Value then, Value otherwise) {
  return SelectOp::create(b, loc, mask, then, otherwise);
}

Value DoubleBits::magnitude() { return both(bits, number(~kSign)); }
Value DoubleBits::isNegative() { return compare(ComparisonDirection::GE, bits, number(kSign)); }

Value DoubleBits::rounded(Value magnitude, Rounding rounding) {
  Value rebiased = SubtractOp::create(b, loc, magnitude, number(kBias));
  Value kept = right(rebiased, kDropped), result;
  if (rounding == Rounding::Odd) {
    Value rest = both(rebiased, number((uint64_t(1) << kDropped) - 1));
    result = OrOp::create(b, loc, kept, MinOp::create(b, loc, rest, number(1)));
  } else {
    Value half = add(both(kept, number(1)), number((uint64_t(1) << (kDropped - 1)) - 1));
    result = right(add(rebiased, half), kDropped);
  }
  result = MinOp::create(b, loc, result, number(kInfinity));
  Value isSmall = compare(ComparisonDirection::LT, magnitude, number(kSmallestWide));
  return select(isSmall, number(0), result);
}

Value DoubleBits::bounded(Value magnitude, Rounding rounding) {
  Value rebiased = SubtractOp::create(b, loc, magnitude, number(kBias));
  Value kept = right(rebiased, kDropped);
  Value rest = both(rebiased, number((uint64_t(1) << kDropped) - 1));
  Value inner = MinOp::create(b, loc, kept, number(kLargest));
  Value outer =
      MinOp::create(b, loc, add(kept, MinOp::create(b, loc, rest, number(1))), number(kInfinity));
  Value isInfinite = compare(ComparisonDirection::EQ, magnitude, number(kWideInfinity));
  inner = select(isInfinite, outer, inner);
  Value isSmall = compare(ComparisonDirection::LT, magnitude, number(kSmallestWide));
  Value smallest = ShiftLeftOp::create(b, loc, MinOp::create(b, loc, magnitude, number(1)),
                                       number(kSmallestExponent));
  inner = select(isSmall, number(0), inner);
  outer = select(isSmall, smallest, outer);
  if (rounding == Rounding::Exact)
    return select(compare(ComparisonDirection::EQ, inner, outer), inner, number(kNan));
  return rounding == Rounding::Up ? select(isNegative(), inner, outer)
                                  : select(isNegative(), outer, inner);
}

Value DoubleBits::toF32(Rounding rounding) {
  Value magnitude = this->magnitude();
  Value result = rounding == Rounding::Nearest || rounding == Rounding::Odd
                     ? rounded(magnitude, rounding)
                     : bounded(magnitude, rounding);
  Value isNan = compare(ComparisonDirection::GT, magnitude, number(kWideInfinity));
  result = select(isNan, number(kNan), result);
  Value sign = both(right(bits, 32), number(kSign >> 32));
  result = OrOp::create(b, loc, result, sign);
  Value word = ConvertOp::create(b, loc, type.clone(b.getIntegerType(32, false)), result);
  return BitcastConvertOp::create(b, loc, type.clone(b.getF32Type()), word);
}

Value DoubleBits::toOrder(int64_t nan) {
  Value magnitude = this->magnitude();
  Value result = select(isNegative(), NegOp::create(b, loc, magnitude), magnitude);
  Value isNan = compare(ComparisonDirection::GT, magnitude, number(kWideInfinity));
  result = select(isNan, number(uint64_t(nan)), result);
  return BitcastConvertOp::create(b, loc, type.clone(b.getI64Type()), result);
}

Value DoubleBits::ofIntegers(OpBuilder &b, Value magnitude) {
  constexpr uint64_t kRest = 11; // bits of 64 beyond an f64 mantissa
  // The exponent of 2^63, less one for the implicit leading bit of the mantissa.
  constexpr uint64_t kExponent = 1023 + 63 - 1;
  DoubleBits x(b, magnitude);
  Value zeros = ClzOp::create(b, x.loc, magnitude);
  Value left = ShiftLeftOp::create(b, x.loc, magnitude, zeros);
  Value kept = x.right(left, kRest);
  Value rest = x.both(left, x.number((uint64_t(1) << kRest) - 1));
  Value half = x.add(x.both(kept, x.number(1)), x.number((uint64_t(1) << (kRest - 1)) - 1));
  Value mantissa = x.add(kept, x.right(x.add(rest, half), kRest));
  Value exponent = SubtractOp::create(b, x.loc, x.number(kExponent), zeros);
  Value result = x.add(ShiftLeftOp::create(b, x.loc, exponent, x.number(52)), mantissa);
  Value isZero = x.compare(ComparisonDirection::EQ, magnitude, x.number(0));
  return x.select(isZero, x.number(0), result);
}

} // namespace systole::doubles
