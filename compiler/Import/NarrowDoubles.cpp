// Converts f64 constants that a program uses as other elements only.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Passes.h"

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLES
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

bool isDouble(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF64() && type.hasStaticShape();
}

/// The nearest number of `element`, of integers the one towards zero that fits; 0 for a NaN.
APInt convert(const APFloat &value, Type element) {
  bool ignored;
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat result = value;
    result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
    return result.bitcastToAPInt();
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1)
    return APInt(1, !value.isZero());
  APSInt result(width, element.isUnsignedInteger());
  value.convertToInteger(result, APFloat::rmTowardZero, &ignored);
  return result;
}

/// The operation at the start of a chain of broadcasts and reshapes, if it is a constant.
ConstantOp constantOf(Value value) {
  while (isa_and_nonnull<BroadcastInDimOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<ConstantOp>();
}

/// `value`, which a constant is the start of, with converted elements.
Value rebuild(OpBuilder &b, Value value, Type element) {
  Operation *op = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    return ConstantOp::create(b, op->getLoc(),
                              elements.mapValues(element, [&](const APFloat &number) {
                                return convert(number, element);
                              }));
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(rebuild(b, op->getOperand(0), element));
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

struct NarrowDoubles : impl::NarrowDoublesBase<NarrowDoubles> {
  void runOnOperation() override {
    SmallVector<ConvertOp> conversions;
    getOperation()->walk([&](ConvertOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!isDouble(op.getOperand()) || !type || !type.hasStaticShape() ||
          !type.getElementType().isIntOrFloat() || type.getElementType().isF64())
        return;
      ConstantOp constant = constantOf(op.getOperand());
      if (constant && isa<DenseElementsAttr>(constant.getValue()) && isDouble(constant))
        conversions.push_back(op);
    });
    for (ConvertOp op : conversions) {
      OpBuilder b(op);
      Value from = op.getOperand();
      op.replaceAllUsesWith(
          rebuild(b, from, cast<RankedTensorType>(op.getType()).getElementType()));
      op.erase();
      while (Operation *producer = from.getDefiningOp()) {
        if (!producer->use_empty())
          break;
        from = producer->getNumOperands() ? producer->getOperand(0) : Value();
        producer->erase();
        if (!from)
          break;
      }
    }
  }
};

} // namespace
} // namespace systole
