// Narrows operations that move or order elements of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Doubles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace systole::doubles {

using namespace stablehlo;

/// Whether each element of an operation's result is an element of one of its f64 operands.
static bool movesElements(Operation *op) {
  return isa<BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, SliceOp, PadOp, ConcatenateOp,
             DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, SelectOp>(op);
}

/// Whether an operation gives the same elements before and after rounding: rounding is monotone,
/// and the same for both signs. The magnitude of a complex number is another one.
static bool commutesWithRounding(Operation *op) {
  return isa<MaxOp, MinOp, ClampOp, NegOp, AbsOp>(op) && isDouble(op->getOperand(0));
}

static bool isWidening(Operation *op) {
  return isa<ConvertOp>(op) && isDouble(op->getOperand(0)) && isDouble(op->getResult(0));
}

static bool isEntryArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function && function.isPublic();
}

/// The number of bits of an integer's magnitude, or of a float's significand.
static unsigned precisionOf(Type type) {
  if (auto number = dyn_cast<FloatType>(type))
    return number.getFPMantissaWidth();
  bool isSigned = !type.isUnsignedInteger() && !type.isInteger(1);
  return type.getIntOrFloatBitWidth() - isSigned;
}

/// Whether every value of a type is exactly representable in the other.
static bool embeds(Type from, Type to) {
  if (isa<FloatType>(from))
    return from == to || (to.isF32() && (from.isBF16() || from.isF16())) ||
           (to.isF64() && (from.isF32() || from.isBF16() || from.isF16()));
  bool loosesSign = !from.isUnsignedInteger() && !from.isInteger(1) &&
                    (to.isUnsignedInteger() || to.isInteger(1));
  return isa<IntegerType>(from) && !loosesSign && precisionOf(from) <= precisionOf(to);
}

bool Narrower::acceptsConversion(Type from) const {
  if (!from.isIntOrFloat() || from.isF64() || !embeds(from, Float64Type::get(from.getContext())))
    return false;
  if (embeds(from, element))
    return true;
  // A value exactly representable in f64 is rounded once. Integers converted to floats below f32
  // are rounded to f32 first, and those that do not fit wrap around where f64 saturates.
  return mode == Mode::Rounded && (isa<FloatType>(from) || element.isF32() || element.isInteger(1));
}

static bool isExact(DenseElementsAttr elements, Type element) {
  auto isExactNumber = [&](const APFloat &number) {
    bool losesInfo = false;
    if (auto type = dyn_cast<FloatType>(element)) {
      APFloat narrow = number;
      narrow.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      // The machine flushes subnormal f32 to zero.
      return !losesInfo && (!narrow.isDenormal() || type.isF16());
    }
    APSInt narrow(element.getIntOrFloatBitWidth(),
                  element.isUnsignedInteger() || element.isInteger(1));
    bool isInteger = false;
    return number.convertToInteger(narrow, APFloat::rmTowardZero, &isInteger) == APFloat::opOK &&
           isInteger;
  };
  if (elements.isSplat())
    return isExactNumber(elements.getSplatValue<APFloat>());
  return llvm::all_of(elements.getValues<APFloat>(), isExactNumber);
}

bool Narrower::acceptsNode(Value wide) const {
  if (isEntryArgument(wide))
    return mode == Mode::Rounded && (element.isF32() || element.isBF16() || element.isF16());
  Operation *op = wide.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && (mode == Mode::Rounded || isExact(elements, element));
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    auto type = cast<RankedTensorType>(iota.getType());
    int64_t size = type.getDimSize(iota.getIotaDimension());
    return !element.isInteger(1) && size <= int64_t(1) << std::min(precisionOf(element), 32u);
  }
  if (isa<ConvertOp>(op) && !isWidening(op))
    return acceptsConversion(getElementTypeOrSelf(op->getOperand(0)));
  return movesElements(op) || isWidening(op) ||
         (commutesWithRounding(op) && isa<FloatType>(element));
}

/// The f64 operands from which an operation's result is computed.
static SmallVector<Value, 3> doublesOf(Value wide) {
  Operation *op = wide.getDefiningOp();
  return op ? llvm::filter_to_vector<3>(op->getOperands(), isDouble) : SmallVector<Value, 3>();
}

/// Calls `visit` for a value and all f64 values that it is computed from, operands first, except
/// for those that are `known`. Chains may be as long as the program, so this does not recurse.
template <typename Known, typename Visit>
static void forEachSource(Value wide, Known known, Visit visit) {
  SmallVector<std::pair<Value, bool>> stack{{wide, false}};
  while (!stack.empty()) {
    auto [value, isExpanded] = stack.pop_back_val();
    if (known(value))
      continue;
    if (isExpanded) {
      visit(value);
      continue;
    }
    stack.push_back({value, true});
    for (Value operand : doublesOf(value))
      stack.push_back({operand, false});
  }
}

bool Narrower::accepts(Value wide) {
  forEachSource(
      wide, [&](Value value) { return accepted.contains(value); },
      [&](Value value) {
        bool areAccepted =
            llvm::all_of(doublesOf(value), [&](Value operand) { return accepted.at(operand); });
        accepted[value] = acceptsNode(value) && areAccepted;
      });
  return accepted.at(wide);
}

Value Narrower::make(Value wide) const {
  Type type = cast<RankedTensorType>(wide.getType()).clone(element);
  OpBuilder b(wide.getContext());
  Operation *op = wide.getDefiningOp();
  if (!op) {
    b.setInsertionPointToStart(wide.getParentBlock());
    return ConvertOp::create(b, wide.getLoc(), type, wide);
  }
  b.setInsertionPoint(op);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return ConstantOp::create(
        b, op->getLoc(),
        cast<DenseElementsAttr>(constant.getValue()).mapValues(element, [&](const APFloat &x) {
          return convertNumber(x, element);
        }));
  if (isWidening(op))
    return made.at(op->getOperand(0));
  if (isa<ConvertOp>(op)) {
    Value from = op->getOperand(0);
    return from.getType() == type ? from : ConvertOp::create(b, op->getLoc(), type, from);
  }
  IRMapping narrow;
  for (Value operand : doublesOf(wide))
    narrow.map(operand, made.at(operand));
  Operation *copy = b.clone(*op, narrow);
  copy->getResult(0).setType(cast<RankedTensorType>(type));
  return copy->getResult(0);
}

Value Narrower::narrow(Value wide) {
  forEachSource(
      wide, [&](Value value) { return made.contains(value); },
      [&](Value value) { made[value] = make(value); });
  return made.at(wide);
}

} // namespace systole::doubles
