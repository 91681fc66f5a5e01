// Folds f64 arithmetic on constants as IEEE 754 defines it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Doubles.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace systole::doubles {

using namespace stablehlo;

/// Larger results would make the program large.
static constexpr int64_t kMaxElements = 1 << 16;

static constexpr auto kNearest = APFloat::rmNearestTiesToEven;

bool isDouble(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF64() && type.hasStaticShape();
}

Value startOf(Value value) {
  while (isa_and_nonnull<BroadcastInDimOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

APInt convertNumber(const APFloat &value, Type element) {
  bool ignored;
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat result = value;
    result.convert(type.getFloatSemantics(), kNearest, &ignored);
    return result.bitcastToAPInt();
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return APInt(1, !value.isZero());
  APSInt result(width, element.isUnsignedInteger());
  value.convertToInteger(result, APFloat::rmTowardZero, &ignored);
  return result;
}

static APFloat rounded(APFloat value, APFloat::roundingMode mode) {
  value.roundToIntegral(mode);
  return value;
}

std::optional<APFloat> evaluate(Operation *op, ArrayRef<APFloat> operands) {
  APFloat x = operands.front();
  const APFloat &y = operands.back();
  return TypeSwitch<Operation *, std::optional<APFloat>>(op)
      .Case([&](AddOp) { return x + y; })
      .Case([&](SubtractOp) { return x - y; })
      .Case([&](MulOp) { return x * y; })
      .Case([&](DivOp) { return x / y; })
      .Case([&](RemOp) {
        x.mod(y);
        return x;
      })
      .Case([&](MaxOp) { return llvm::maximum(x, y); })
      .Case([&](MinOp) { return llvm::minimum(x, y); })
      .Case([&](ClampOp) { return llvm::minimum(llvm::maximum(operands[1], x), y); })
      .Case([&](NegOp) { return -x; })
      .Case([&](AbsOp) { return abs(x); })
      .Case([&](FloorOp) { return rounded(x, APFloat::rmTowardNegative); })
      .Case([&](CeilOp) { return rounded(x, APFloat::rmTowardPositive); })
      .Case([&](RoundNearestEvenOp) { return rounded(x, kNearest); })
      .Case([&](RoundOp) { return rounded(x, APFloat::rmNearestTiesToAway); })
      .Case([&](SqrtOp) { return APFloat(std::sqrt(x.convertToDouble())); })
      .Default([](Operation *) { return std::nullopt; });
}

static DenseElementsAttr elementsOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
}

std::optional<APFloat> splatOf(Value value) {
  value = startOf(value);
  DenseElementsAttr elements = elementsOf(value);
  if (!isDouble(value) || !elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// Elements converted to the nearest f64.
static DenseElementsAttr widen(DenseElementsAttr from, Type to) {
  const llvm::fltSemantics &semantics = APFloat::IEEEdouble();
  if (isa<FloatType>(from.getElementType()))
    return from.mapValues(to, [&](const APFloat &number) {
      APFloat result = number;
      bool ignored;
      result.convert(semantics, kNearest, &ignored);
      return result.bitcastToAPInt();
    });
  bool isSigned = !from.getElementType().isUnsignedInteger() && !from.getElementType().isInteger(1);
  return from.mapValues(to, [&](const APInt &number) {
    APFloat result(semantics);
    result.convertFromAPInt(number, isSigned, kNearest);
    return result.bitcastToAPInt();
  });
}

static DenseElementsAttr foldElementwise(Operation *op, ArrayRef<DenseElementsAttr> operands,
                                         RankedTensorType type) {
  bool isSplat = llvm::all_of(operands, [](auto elements) { return elements.isSplat(); });
  if (!isSplat && type.getNumElements() > kMaxElements)
    return {};
  // Products and the like have operands of other shapes.
  if (llvm::any_of(operands, [&](DenseElementsAttr elements) {
        return elements.getNumElements() != type.getNumElements() && elements.getNumElements() != 1;
      }))
    return {};
  SmallVector<SmallVector<APFloat, 0>> columns;
  for (DenseElementsAttr elements : operands)
    columns.emplace_back(elements.isSplat()
                             ? SmallVector<APFloat, 0>{elements.getSplatValue<APFloat>()}
                             : llvm::to_vector<0>(elements.getValues<APFloat>()));
  SmallVector<APFloat, 0> results;
  for (int64_t i = 0, end = isSplat ? 1 : type.getNumElements(); i < end; ++i) {
    SmallVector<APFloat, 3> row;
    for (const SmallVector<APFloat, 0> &column : columns)
      row.push_back(column[column.size() == 1 ? 0 : i]);
    std::optional<APFloat> result = evaluate(op, row);
    if (!result)
      return {};
    results.push_back(*result);
  }
  return DenseElementsAttr::get(type, results);
}

static DenseElementsAttr fold(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !isDouble(op->getResult(0)))
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(elementsOf(operand));
    if (!operands.back() || type.getNumElements() == 0)
      return {};
  }
  DenseElementsAttr first = operands.front();
  if (isa<ConvertOp>(op))
    return first.getElementType().isIntOrFloat() ? widen(first, type.getElementType())
                                                 : DenseElementsAttr();
  bool areDoubles = llvm::all_of(op->getOperands(), isDouble);
  if (isa<ReshapeOp, BroadcastInDimOp>(op) && areDoubles && first.isSplat())
    return first.resizeSplat(type);
  if (isa<ReshapeOp>(op) && areDoubles)
    return first.reshape(type);
  return areDoubles ? foldElementwise(op, operands, type) : DenseElementsAttr();
}

void foldConstants(Operation *root) {
  root->walk([](Operation *op) {
    DenseElementsAttr elements = fold(op);
    if (!elements)
      return;
    OpBuilder b(op);
    op->replaceAllUsesWith(ConstantOp::create(b, op->getLoc(), elements));
    op->erase();
  });
}

void eraseUnused(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() == 1 && isDouble(op->getResult(0)))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

} // namespace systole::doubles
