// Evaluates the integers on which shapes depend.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Refine/Refine.h"
#include "compiler/Legalize/Refine/Sources.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole::refine {

using namespace stablehlo;
using Numbers = Evaluator::Numbers;

namespace {

/// Shapes are lists of few numbers, computed in few steps, each of which recurses.
constexpr int64_t kMostElements = 4096;
constexpr int kMostSteps = 256;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isUnsigned(Value value) {
  Type element = getElementTypeOrSelf(value);
  return element.isUnsignedInteger() || element.isInteger(1);
}

bool isSmall(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && isa<IntegerType>(tensor.getElementType()) &&
         tensor.getNumElements() <= kMostElements;
}

/// The quotient, rounded towards zero, and the remainder; as StableHLO defines them for zero.
APInt divide(const APInt &x, const APInt &y, bool isUnsigned) {
  if (y.isZero())
    return APInt::getAllOnes(x.getBitWidth());
  return isUnsigned ? x.udiv(y) : x.sdiv(y);
}
APInt remainder(const APInt &x, const APInt &y, bool isUnsigned) {
  if (y.isZero())
    return x;
  return isUnsigned ? x.urem(y) : x.srem(y);
}

APInt shift(const APInt &x, const APInt &by, APInt (APInt::*shifted)(const APInt &) const) {
  return (x.*shifted)(by);
}

APInt sign(const APInt &x) {
  return APInt(x.getBitWidth(), x.isNegative() ? -1 : !x.isZero(), /*isSigned=*/true);
}

bool compare(const APInt &x, const APInt &y, ComparisonDirection direction, bool isUnsigned) {
  bool isLess = isUnsigned ? x.ult(y) : x.slt(y);
  switch (direction) {
  case ComparisonDirection::EQ:
    return x == y;
  case ComparisonDirection::NE:
    return x != y;
  case ComparisonDirection::GE:
    return !isLess;
  case ComparisonDirection::GT:
    return !isLess && x != y;
  case ComparisonDirection::LE:
    return isLess || x == y;
  case ComparisonDirection::LT:
    return isLess;
  }
  llvm_unreachable("unknown direction");
}

/// One element of an elementwise operation's result; std::nullopt for any other operation.
std::optional<APInt> applyTo(Operation *op, ArrayRef<APInt> x) {
  bool isPositive = isUnsigned(op->getOperand(0));
  auto larger = [&](const APInt &a, const APInt &b) {
    return compare(a, b, ComparisonDirection::GT, isPositive) ? a : b;
  };
  auto smaller = [&](const APInt &a, const APInt &b) {
    return compare(a, b, ComparisonDirection::LT, isPositive) ? a : b;
  };
  using Result = std::optional<APInt>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](AddOp) {
        return getElementTypeOrSelf(op->getOperand(0)).isInteger(1) ? x[0] | x[1] : x[0] + x[1];
      })
      .Case([&](SubtractOp) { return x[0] - x[1]; })
      .Case([&](MulOp) { return x[0] * x[1]; })
      .Case([&](DivOp) { return divide(x[0], x[1], isPositive); })
      .Case([&](RemOp) { return remainder(x[0], x[1], isPositive); })
      .Case([&](MaxOp) { return larger(x[0], x[1]); })
      .Case([&](MinOp) { return smaller(x[0], x[1]); })
      .Case([&](AndOp) { return x[0] & x[1]; })
      .Case([&](OrOp) { return x[0] | x[1]; })
      .Case([&](XorOp) { return x[0] ^ x[1]; })
      .Case([&](ShiftLeftOp) { return shift(x[0], x[1], &APInt::shl); })
      .Case([&](ShiftRightLogicalOp) { return shift(x[0], x[1], &APInt::lshr); })
      .Case([&](ShiftRightArithmeticOp) { return shift(x[0], x[1], &APInt::ashr); })
      .Case([&](NotOp) { return ~x[0]; })
      .Case([&](NegOp) { return -x[0]; })
      .Case([&](AbsOp) { return x[0].abs(); })
      .Case([&](SignOp) { return sign(x[0]); })
      .Case([&](CompareOp compared) {
        return APInt(1, compare(x[0], x[1], compared.getComparisonDirection(), isPositive));
      })
      .Case([&](SelectOp) { return x[0].isZero() ? x[2] : x[1]; })
      .Case([&](ClampOp) { return smaller(larger(x[0], x[1]), x[2]); })
      .Case([&](ConvertOp) -> Result {
        Type to = getElementTypeOrSelf(op->getResult(0));
        if (to.isInteger(1))
          return APInt(1, !x[0].isZero());
        unsigned width = to.getIntOrFloatBitWidth();
        return isPositive ? x[0].zextOrTrunc(width) : x[0].sextOrTrunc(width);
      })
      .Default([](Operation *) { return Result(); });
}

Numbers numbersOf(DenseIntElementsAttr elements) {
  return Numbers(elements.value_begin<APInt>(), elements.value_end<APInt>());
}

Numbers iota(IotaOp op) {
  Numbers result;
  unsigned width = typeOf(op.getResult()).getElementTypeBitWidth();
  forEachIndex(typeOf(op.getResult()).getShape(), [&](ArrayRef<int64_t> index) {
    result.emplace_back(width, index[op.getIotaDimension()], /*isSigned=*/true,
                        /*implicitTrunc=*/true);
  });
  return result;
}

} // namespace

std::optional<Numbers> Evaluator::evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() != 0 || op->getNumResults() != 1 || !isSmall(value.getType()))
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == kMostSteps)
    return std::nullopt;
  ++depth;
  std::optional<Numbers> result = compute(op);
  --depth;
  return known[value] = result;
}

std::optional<Numbers> Evaluator::compute(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    return elements ? std::optional(numbersOf(elements)) : std::nullopt;
  }
  if (auto counted = dyn_cast<IotaOp>(op))
    return iota(counted);
  if (op->getNumOperands() == 0 || !isa<StableHLODialect>(op->getDialect()))
    return std::nullopt;
  if (isa<ReshapeOp, BroadcastInDimOp, SliceOp, TransposeOp, ReverseOp, ConcatenateOp, PadOp>(op))
    return move(op);
  return combine(op);
}

std::optional<Numbers> Evaluator::combine(Operation *op) {
  SmallVector<Numbers> operands;
  int64_t count = typeOf(op->getResult(0)).getNumElements();
  for (Value operand : op->getOperands()) {
    std::optional<Numbers> numbers = evaluate(operand);
    bool isScalar = isSmall(operand.getType()) && typeOf(operand).getRank() == 0;
    if (!numbers || (!isScalar && static_cast<int64_t>(numbers->size()) != count))
      return std::nullopt;
    operands.push_back(*numbers);
  }
  Numbers result;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<APInt> elements;
    for (const Numbers &operand : operands)
      elements.push_back(operand.size() == 1 ? operand[0] : operand[i]);
    std::optional<APInt> element = applyTo(op, elements);
    if (!element)
      return std::nullopt;
    result.push_back(*element);
  }
  return result;
}

std::optional<Numbers> Evaluator::move(Operation *op) {
  SmallVector<Numbers> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Numbers> numbers = evaluate(operand);
    if (!numbers)
      return std::nullopt;
    operands.push_back(*numbers);
  }
  Numbers result;
  std::optional<SmallVector<Source>> sources = sourcesOf(op);
  assert(sources && "an operation that moves elements");
  for (auto [operand, element] : *sources)
    result.push_back(operands[operand][element]);
  return result;
}

std::optional<Evaluator::Sizes> Evaluator::integers(Value value) {
  std::optional<Numbers> numbers = evaluate(value);
  if (!numbers)
    return std::nullopt;
  return llvm::map_to_vector(*numbers, [&](const APInt &number) {
    return isUnsigned(value) ? static_cast<int64_t>(number.getZExtValue()) : number.getSExtValue();
  });
}

} // namespace systole::refine
