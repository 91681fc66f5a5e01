// Replaces comparisons of f64 with comparisons of the narrower values that they are computed from.
//
// Arithmetic with constants is monotone, rounding included, so the source values whose result is
// below a constant are those below some threshold. Bisection finds it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Doubles.h"
#include "dialects/StableHLO/Comparisons.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace systole::doubles {

using namespace stablehlo;

namespace {

using Direction = ComparisonDirection;

/// The magnitude bits of an f64 that is not a NaN are at most kInfinity.
constexpr uint64_t kInfinity = uint64_t(0x7ff) << 52, kSign = uint64_t(1) << 63;

/// An operation on f64 with constants for all operands but one.
struct Step {
  Operation *op;
  unsigned variable;
  SmallVector<APFloat, 3> operands; ///< the variable operand is not yet known
};

/// The values of a type in ascending order.
class Numbers {
public:
  explicit Numbers(Type type) : type(type) {
    if (auto number = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = number.getFloatSemantics();
      if (type.isF32() || type.isBF16())
        skipped = APFloat::getSmallestNormalized(semantics).bitcastToAPInt().getZExtValue() - 1;
      middle = APFloat::getInf(semantics).bitcastToAPInt().getZExtValue() - skipped;
      last = 2 * middle;
      return;
    }
    unsigned width = type.getIntOrFloatBitWidth();
    last = ~uint64_t(0) >> (64 - width);
    middle = type.isUnsignedInteger() || width == 1 ? 0 : uint64_t(1) << (width - 1);
  }

  /// The bits of the i-th value; both zeros map to +0.
  APInt bits(uint64_t i) const {
    unsigned width = type.getIntOrFloatBitWidth();
    if (isa<IntegerType>(type))
      return APInt(64, i - middle).trunc(width);
    uint64_t distance = i < middle ? middle - i : i - middle;
    APInt magnitude(width, distance ? distance + skipped : 0);
    if (i < middle)
      magnitude.setSignBit();
    return magnitude;
  }

  /// The i-th value as f64.
  APFloat number(uint64_t i) const {
    APFloat result(APFloat::IEEEdouble());
    if (isa<IntegerType>(type)) {
      result.convertFromAPInt(bits(i), middle != 0, APFloat::rmNearestTiesToEven);
      return result;
    }
    bool ignored;
    result = APFloat(cast<FloatType>(type).getFloatSemantics(), bits(i));
    result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
    return result;
  }

  /// The first value for which a monotone condition holds.
  std::optional<uint64_t> first(llvm::function_ref<bool(const APFloat &)> holds) const {
    if (!holds(number(last)))
      return std::nullopt;
    uint64_t low = 0, high = last;
    while (low < high) {
      uint64_t half = low + (high - low) / 2;
      if (holds(number(half)))
        high = half;
      else
        low = half + 1;
    }
    return low;
  }

  Type type;
  uint64_t last;

private:
  uint64_t middle;
  uint64_t skipped = 0; ///< subnormal numbers, which the machine flushes to zero
};

/// The limit on a chain's length: each comparison evaluates it for each bit of its source.
constexpr int kMaxLength = 64;

/// A monotone chain of operations from values of some type, or from bits, to an f64.
class Chain {
public:
  /// Collects the chain of operations that computes `value`; false if there is none.
  bool follow(Value value) {
    for (int length = 0; length < kMaxLength; ++length) {
      Operation *op = value.getDefiningOp();
      if (!op)
        return false;
      if (isa<BitcastConvertOp>(op)) {
        source = op->getOperand(0);
        isBits = source.getType() != value.getType();
        return isBits && getElementTypeOrSelf(source).isInteger(64);
      }
      if (isa<ConvertOp>(op) && !isDouble(op->getOperand(0))) {
        source = op->getOperand(0);
        Type from = getElementTypeOrSelf(source);
        return isa<IntegerType>(from) || from.isF32() || from.isBF16() || from.isF16();
      }
      if (isa<ConvertOp>(op)) {
        value = op->getOperand(0);
      } else if (isa<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, ReverseOp>(op)) {
        moves.push_back(op);
        value = op->getOperand(0);
      } else if (std::optional<Step> step = stepOf(op)) {
        value = op->getOperand(step->variable);
        steps.push_back(std::move(*step));
      } else {
        return false;
      }
    }
    return false;
  }

  Numbers numbers() const {
    return Numbers(isBits ? Float64Type::get(source.getContext()) : getElementTypeOrSelf(source));
  }

  APFloat apply(APFloat number) const {
    for (const Step &step : llvm::reverse(steps)) {
      SmallVector<APFloat, 3> operands = step.operands;
      operands[step.variable] = number;
      number = *evaluate(step.op, operands);
    }
    return number;
  }

  /// The source, with elements moved as in the result; bits are unsigned.
  Value moved(OpBuilder &b) const {
    Value result = source;
    if (isBits && !getElementTypeOrSelf(source).isUnsignedInteger())
      result = ConvertOp::create(
          b, source.getLoc(),
          cast<RankedTensorType>(source.getType()).clone(b.getIntegerType(64, false)), source);
    for (Operation *op : llvm::reverse(moves)) {
      IRMapping mapping;
      mapping.map(op->getOperand(0), result);
      Operation *copy = b.clone(*op, mapping);
      copy->getResult(0).setType(
          cast<RankedTensorType>(op->getResult(0).getType()).clone(getElementTypeOrSelf(result)));
      result = copy->getResult(0);
    }
    return result;
  }

  bool isBits = false;
  bool isDecreasing = false;

private:
  std::optional<Step> stepOf(Operation *op) {
    if (!isa<AddOp, SubtractOp, MulOp, DivOp, MaxOp, MinOp, ClampOp, NegOp, FloorOp, CeilOp>(op))
      return std::nullopt;
    std::optional<Step> step;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (!splatOf(operand)) {
        if (step)
          return std::nullopt;
        step = Step{op, unsigned(i), {}};
      }
    if (!step || (isa<ClampOp>(op) && step->variable != 1))
      return std::nullopt;
    for (Value operand : op->getOperands()) {
      std::optional<APFloat> number = splatOf(operand);
      // An infinite or zero factor produces NaNs, and so do sums of infinities.
      bool isOrder = isa<MaxOp, MinOp, ClampOp>(op), isScale = isa<MulOp, DivOp>(op);
      if (number &&
          (number->isNaN() || (!isOrder && number->isInfinity()) || (isScale && number->isZero())))
        return std::nullopt;
      if (number && isScale && number->isNegative())
        isDecreasing = !isDecreasing;
      step->operands.push_back(number.value_or(APFloat(0.0)));
    }
    if (isa<DivOp>(op) && step->variable != 0)
      return std::nullopt;
    if (isa<NegOp>(op) || (isa<SubtractOp>(op) && step->variable == 1))
      isDecreasing = !isDecreasing;
    return step;
  }

  Value source;
  SmallVector<Step> steps;        ///< the last one first
  SmallVector<Operation *> moves; ///< the last one first
};

/// Unsigned comparisons of the bits of f64.
class BitComparison {
public:
  BitComparison(OpBuilder &b, Location loc, Value bits) : b(b), loc(loc), bits(bits) {}

  /// Compares with the number that has the bits `threshold`: whether values are below it or, unless
  /// `isBelow`, not below it. The bits of negative numbers have reverse order.
  Value compare(uint64_t threshold, bool isBelow) {
    constexpr uint64_t kLeast = kSign | kInfinity;
    bool isPositive = threshold && !(threshold & kSign);
    if (isPositive && isBelow)
      return either(is(Direction::LT, threshold),
                    both(is(Direction::GE, kSign), is(Direction::LE, kLeast)));
    if (isPositive)
      return both(is(Direction::GE, threshold), is(Direction::LE, kInfinity));
    uint64_t negative = threshold | kSign;
    if (isBelow)
      return both(is(Direction::GT, negative), is(Direction::LE, kLeast));
    return either(is(Direction::LE, kInfinity),
                  both(is(Direction::GE, kSign), is(Direction::LE, negative)));
  }

private:
  Value is(Direction direction, uint64_t number) {
    Value constant = ConstantOp::create(
        b, loc, DenseElementsAttr::get(cast<RankedTensorType>(bits.getType()), APInt(64, number)));
    return CompareOp::create(b, loc, bits, constant, direction, ComparisonTypeAttr());
  }
  Value both(Value x, Value y) { return AndOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return OrOp::create(b, loc, x, y); }

  OpBuilder &b;
  Location loc;
  Value bits;
};

Value compareBits(OpBuilder &b, Location loc, Value bits, const Numbers &numbers,
                  std::optional<uint64_t> first, bool isBelow) {
  uint64_t threshold = first ? numbers.bits(*first).getZExtValue() : kInfinity + 1;
  return BitComparison(b, loc, bits).compare(threshold, isBelow);
}

/// Whether values are below the first one that satisfies the comparison, or not; all if none does.
Value compareNumbers(OpBuilder &b, Location loc, Value source, const Numbers &numbers,
                     std::optional<uint64_t> first, bool isBelow) {
  Direction atFirst = isBelow ? Direction::LT : Direction::GE;
  Direction atLast = isBelow ? Direction::LE : Direction::GT;
  auto type = cast<RankedTensorType>(source.getType());
  APInt bits = numbers.bits(first.value_or(numbers.last));
  auto number = dyn_cast<FloatType>(numbers.type);
  auto threshold = number ? DenseElementsAttr::get(type, APFloat(number.getFloatSemantics(), bits))
                          : DenseElementsAttr::get(type, bits);
  Value constant = ConstantOp::create(b, loc, threshold);
  return CompareOp::create(b, loc, source, constant, first ? atFirst : atLast,
                           ComparisonTypeAttr());
}

} // namespace

Value compareWithThreshold(OpBuilder &b, CompareOp op) {
  Direction direction = op.getComparisonDirection();
  Value value = op.getLhs();
  std::optional<APFloat> limit = splatOf(op.getRhs());
  if (!limit) {
    value = op.getRhs();
    limit = splatOf(op.getLhs());
    direction = exchanged(direction);
  }
  Chain chain;
  if (!limit || limit->isNaN() || !chain.follow(value))
    return {};
  if (chain.isDecreasing) {
    direction = exchanged(direction);
    limit->changeSign();
  }
  Numbers numbers = chain.numbers();
  Value source = chain.moved(b);
  auto first = [&](bool isAbove) {
    return numbers.first([&](const APFloat &number) {
      APFloat result = chain.apply(number);
      if (chain.isDecreasing)
        result.changeSign();
      return isAbove ? result > *limit : result >= *limit;
    });
  };
  auto compare = [&](bool isBelow, bool isAbove) {
    std::optional<uint64_t> threshold = first(isAbove);
    return chain.isBits ? compareBits(b, op.getLoc(), source, numbers, threshold, isBelow)
                        : compareNumbers(b, op.getLoc(), source, numbers, threshold, isBelow);
  };
  switch (direction) {
  case Direction::LT:
  case Direction::GE:
    return compare(direction == Direction::LT, /*isAbove=*/false);
  case Direction::LE:
  case Direction::GT:
    return compare(direction == Direction::LE, /*isAbove=*/true);
  case Direction::EQ:
  case Direction::NE:
    break;
  }
  Value isEqual = AndOp::create(b, op.getLoc(), compare(false, false), compare(true, true));
  return direction == Direction::EQ ? isEqual : NotOp::create(b, op.getLoc(), isEqual);
}

} // namespace systole::doubles
