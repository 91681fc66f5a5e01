// Evaluates the integers on which shapes depend.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Refine/Refine.h"

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

/// The row-major number of an index.
int64_t linear(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    number = number * size + i;
  return number;
}

/// Calls `visit` with each index of `shape`, in row-major order.
void forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t count = ShapedType::getNumElements(shape); count > 0; --count) {
    visit(index);
    for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// The result of an operation that moves elements: `source` is the operand's index for one of the
/// result's.
Numbers move(Operation *op, const Numbers &elements,
             function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  Numbers result;
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape();
  forEachIndex(typeOf(op->getResult(0)).getShape(), [&](ArrayRef<int64_t> index) {
    result.push_back(elements[linear(source(index), from)]);
  });
  return result;
}

std::optional<Numbers> moved(Operation *op, const Numbers &x) {
  using Index = ArrayRef<int64_t>;
  using Source = SmallVector<int64_t>;
  return llvm::TypeSwitch<Operation *, std::optional<Numbers>>(op)
      .Case([&](ReshapeOp) { return x; })
      .Case([&](BroadcastInDimOp op) {
        return move(op, x, [&](Index index) {
          Source source;
          for (auto [dim, size] :
               llvm::zip_equal(op.getBroadcastDimensions(), typeOf(op.getOperand()).getShape()))
            source.push_back(size == 1 ? 0 : index[dim]);
          return source;
        });
      })
      .Case([&](SliceOp op) {
        return move(op, x, [&](Index index) {
          Source source;
          for (auto [i, start, stride] :
               llvm::zip_equal(index, op.getStartIndices(), op.getStrides()))
            source.push_back(start + i * stride);
          return source;
        });
      })
      .Case([&](TransposeOp op) {
        return move(op, x, [&](Index index) {
          Source source(index.size());
          for (auto [i, dim] : llvm::zip_equal(index, op.getPermutation()))
            source[dim] = i;
          return source;
        });
      })
      .Default([](Operation *) { return std::optional<Numbers>(); });
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
  if (auto joined = dyn_cast<ConcatenateOp>(op))
    return concatenate(joined);
  if (op->getNumOperands() == 0 || !isa<StableHLODialect>(op->getDialect()))
    return std::nullopt;
  if (isa<ReshapeOp, BroadcastInDimOp, SliceOp, TransposeOp>(op)) {
    std::optional<Numbers> operand = evaluate(op->getOperand(0));
    return operand ? moved(op, *operand) : std::nullopt;
  }
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

std::optional<Numbers> Evaluator::concatenate(ConcatenateOp op) {
  auto dim = op.getDimension();
  SmallVector<Numbers> operands;
  for (Value input : op.getInputs()) {
    std::optional<Numbers> numbers = evaluate(input);
    if (!numbers)
      return std::nullopt;
    operands.push_back(*numbers);
  }
  Numbers result;
  forEachIndex(typeOf(op.getResult()).getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index);
    size_t number = 0;
    for (; source[dim] >= typeOf(op.getInputs()[number]).getDimSize(dim); ++number)
      source[dim] -= typeOf(op.getInputs()[number]).getDimSize(dim);
    result.push_back(operands[number][linear(source, typeOf(op.getInputs()[number]).getShape())]);
  });
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
