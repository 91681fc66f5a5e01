// Converts f64 constants that a program uses as other elements, or compares with such.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles.h"
#include "compiler/Import/Passes.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLES
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;

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

/// The constant of f64 at the start of `value`'s broadcasts and reshapes, if it has one.
ConstantOp constantOf(Value value) {
  auto constant = startOf(value).getDefiningOp<ConstantOp>();
  return constant && isDouble(constant) && isa<DenseElementsAttr>(constant.getValue()) ? constant
                                                                                       : nullptr;
}

/// `constant` with other elements, which `convert` gives.
Value mapElements(OpBuilder &b, ConstantOp constant, Type element,
                  function_ref<APInt(const APFloat &)> convert) {
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  return ConstantOp::create(b, constant.getLoc(), elements.mapValues(element, convert));
}

bool isConvertible(ConvertOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  return type && type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         !type.getElementType().isF64() && constantOf(op.getOperand());
}

struct NarrowDoubles : impl::NarrowDoublesBase<NarrowDoubles> {
  void runOnOperation() override {
    SmallVector<ConvertOp> conversions;
    SmallVector<std::pair<CompareOp, Value>> comparisons;
    getOperation()->walk([&](Operation *op) {
      if (auto convert = dyn_cast<ConvertOp>(op); convert && isConvertible(convert))
        conversions.push_back(convert);
      if (auto compare = dyn_cast<CompareOp>(op))
        for (Value operand : compare->getOperands())
          if (constantOf(operand) && isNarrowComparison(compare, operand)) {
            comparisons.push_back({compare, operand});
            break;
          }
    });
    for (ConvertOp op : conversions)
      narrow(op);
    for (auto [op, operand] : comparisons) {
      OpBuilder b(op);
      ConstantOp constant = constantOf(operand);
      Value bits = mapElements(b, constant, b.getIntegerType(64, false),
                               [](const APFloat &number) { return number.bitcastToAPInt(); });
      narrowComparison(op, operand, constant, bits);
    }
  }

  static void narrow(ConvertOp op) {
    OpBuilder b(op);
    Value from = op.getOperand();
    ConstantOp constant = constantOf(from);
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    Value narrow = mapElements(b, constant, element,
                               [&](const APFloat &number) { return convert(number, element); });
    op.replaceAllUsesWith(rebuild(b, from, constant, narrow));
    op.erase();
    eraseUnused(from);
  }
};

} // namespace
} // namespace systole
