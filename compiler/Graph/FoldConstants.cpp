// Evaluates integer operations on small constants.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Passes.h"
#include "compiler/Tensor/OpKinds.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "compiler/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

/// The most elements that are evaluated one by one; splats have one, whatever their shape.
constexpr int64_t kMostElements = 256;

bool isInteger(Type type) { return cast<RankedTensorType>(type).getElementType().isInteger(); }

using Operands = ArrayRef<DenseElementsAttr>;

DenseElementsAttr splat(RankedTensorType type, const APInt &value) {
  return DenseElementsAttr::get(type, value);
}

/// Applies `evaluate` to the elements of operands of one shape.
template <typename F>
DenseElementsAttr foldElements(RankedTensorType type, Operands operands, F evaluate) {
  SmallVector<APInt, 3> element;
  if (llvm::all_of(operands, [](DenseElementsAttr value) { return value.isSplat(); })) {
    for (DenseElementsAttr value : operands)
      element.push_back(value.getSplatValue<APInt>());
    return splat(type, evaluate(element));
  }
  if (type.getNumElements() > kMostElements)
    return nullptr;
  SmallVector<APInt> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    element.clear();
    for (DenseElementsAttr value : operands)
      element.push_back(value.getValues<APInt>()[i]);
    elements.push_back(evaluate(element));
  }
  return DenseElementsAttr::get(type, elements);
}

DenseElementsAttr foldSlice(SliceOp op, DenseElementsAttr operand) {
  RankedTensorType type = typeOf(op);
  if (operand.isSplat())
    return operand.resizeSplat(type);
  if (type.getNumElements() > kMostElements)
    return nullptr;
  auto values = operand.getValues<APInt>();
  ArrayRef<int64_t> shape = typeOf(op.getOperand()).getShape();
  SmallVector<int64_t> index(type.getRank());
  SmallVector<APInt> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t from = 0;
    for (int64_t d = 0; d < type.getRank(); ++d)
      from = from * shape[d] + op.getStartIndices()[d] + index[d] * op.getStrides()[d];
    elements.push_back(values[from]);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      if (++index[d] < type.getDimSize(d))
        break;
      index[d] = 0;
    }
  }
  return DenseElementsAttr::get(type, elements);
}

/// A shift by at least the width of an element leaves no bit.
APInt shifted(Operation *op, const APInt &value, const APInt &amount) {
  if (amount.uge(value.getBitWidth()))
    return APInt::getZero(value.getBitWidth());
  return isa<ShiftLeftOp>(op) ? value.shl(amount) : value.lshr(amount);
}

APInt converted(const APInt &value, Type from, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (to.isInteger(1))
    return APInt(1, !value.isZero());
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  return isUnsigned ? value.zextOrTrunc(width) : value.sextOrTrunc(width);
}

/// The value of `op`, whose operands are these constants; null if it is not evaluated.
DenseElementsAttr fold(Operation *op, Operands operands) {
  RankedTensorType type = typeOf(op->getResult(0));
  // A sum of truth values is their disjunction.
  bool isTruth = type.getElementType().isInteger(1);
  auto binary = [&](auto evaluate) {
    return foldElements(type, operands, [&](ArrayRef<APInt> element) -> APInt {
      return evaluate(element[0], element[1]);
    });
  };
  return llvm::TypeSwitch<Operation *, DenseElementsAttr>(op)
      .Case<AddOp>([&](auto) {
        return binary([&](const APInt &a, const APInt &b) { return isTruth ? a | b : a + b; });
      })
      .Case<SubtractOp>(
          [&](auto) { return binary([](const APInt &a, const APInt &b) { return a - b; }); })
      .Case<MulOp>(
          [&](auto) { return binary([](const APInt &a, const APInt &b) { return a * b; }); })
      .Case<AndOp>(
          [&](auto) { return binary([](const APInt &a, const APInt &b) { return a & b; }); })
      .Case<OrOp>(
          [&](auto) { return binary([](const APInt &a, const APInt &b) { return a | b; }); })
      .Case<XorOp>(
          [&](auto) { return binary([](const APInt &a, const APInt &b) { return a ^ b; }); })
      .Case<ShiftLeftOp, ShiftRightLogicalOp>([&](auto) {
        return binary([&](const APInt &a, const APInt &b) { return shifted(op, a, b); });
      })
      .Case<ConvertOp>([&](ConvertOp convert) {
        Type from = typeOf(convert.getOperand()).getElementType(), to = type.getElementType();
        return foldElements(type, operands, [&](ArrayRef<APInt> element) {
          return converted(element.front(), from, to);
        });
      })
      .Case<SliceOp>([&](SliceOp slice) { return foldSlice(slice, operands.front()); })
      .Case<ReshapeOp>([&](auto) {
        DenseElementsAttr operand = operands.front();
        return operand.reshape(type);
      })
      .Case<BroadcastInDimOp>([&](auto) {
        DenseElementsAttr operand = operands.front();
        return operand.isSplat() ? operand.resizeSplat(type) : nullptr;
      })
      .Default([](Operation *) { return DenseElementsAttr(); });
}

struct FoldConstants : impl::FoldConstantsBase<FoldConstants> {
  void rewrite() override {
    // Producers stand before their users, so that one walk folds whole chains.
    getOperation().walk([&](Operation *op) {
      if (op->getNumOperands() == 0 || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
          !isa<RankedTensorType>(op->getResult(0).getType()) ||
          !isInteger(op->getResult(0).getType()))
        return;
      SmallVector<DenseElementsAttr, 3> operands;
      for (Value operand : op->getOperands()) {
        auto constant = operand.getDefiningOp<ConstantOp>();
        auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
        if (!value || !isInteger(value.getType()) || value.empty())
          return;
        operands.push_back(value);
      }
      DenseElementsAttr value = fold(op, operands);
      if (!value)
        return;
      OpBuilder builder(op);
      op->replaceAllUsesWith(ConstantOp::create(builder, op->getLoc(), value));
      op->erase();
    });
  }
};

} // namespace
} // namespace systole
