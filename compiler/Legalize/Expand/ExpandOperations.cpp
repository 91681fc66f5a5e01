// Expands StableHLO operations that others can express.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Expand/Expand.h"
#include "compiler/Legalize/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPANDOPERATIONS
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace stablehlo;

unsigned widthOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementTypeBitWidth();
}

/// Whether the operation must be expanded.
bool needsExpansion(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<MapOp, RealOp, ImagOp>([](auto) { return true; })
      .Case([](ReducePrecisionOp op) { return !expansion::hasDoubles(op); })
      .Case([](BitcastConvertOp op) { return widthOf(op.getOperand()) != widthOf(op.getResult()); })
      .Case([](DotGeneralOp op) {
        return expansion::hasPredicates(op) || expansion::hasDoubles(op) ||
               expansion::isForVectorUnit(op);
      })
      .Case([](ConvolutionOp op) {
        return expansion::hasPredicates(op) || expansion::needsWindows(op);
      })
      .Default([](Operation *) { return false; });
}

Value expand(OpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReducePrecisionOp op) { return expansion::expandReducePrecision(b, op); })
      .Case([&](BitcastConvertOp op) { return expansion::expandBitcast(b, op); })
      .Case([&](MapOp op) { return expansion::expandMap(op); })
      // Of real numbers.
      .Case([&](RealOp op) { return op.getOperand(); })
      .Case([&](ImagOp op) -> Value {
        auto type = cast<ShapedType>(op.getType());
        return ConstantOp::create(b, op.getLoc(), cast<ElementsAttr>(b.getZeroAttr(type)));
      })
      .Case([&](ConvolutionOp op) {
        return expansion::hasPredicates(op) ? expansion::expandPredicates(b, op)
                                            : expansion::expandWindows(op);
      })
      .Case([&](DotGeneralOp op) {
        if (expansion::hasPredicates(op))
          return expansion::expandPredicates(b, op);
        return expansion::hasDoubles(op) ? expansion::expandDoubles(b, op)
                                         : expansion::expandForVectorUnit(b, op);
      });
}

struct ExpandOperations : impl::ExpandOperationsBase<ExpandOperations> {
  void rewrite() override {
    getOperation().walk([](DotGeneralOp op) { expansion::orderVectorProduct(op); });
    // Operations in the body of a map are expanded once they apply to whole tensors, and some
    // expansions contain operations that are expanded themselves.
    bool hasChanged = true;
    while (std::exchange(hasChanged, false)) {
      SmallVector<Operation *> ops;
      getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!needsExpansion(op))
          return WalkResult::advance();
        ops.push_back(op);
        return WalkResult::skip();
      });
      for (Operation *op : ops) {
        OpBuilder builder(op);
        Value result = expand(builder, op);
        if (!result)
          return signalPassFailure();
        hasChanged = true;
        op->getResult(0).replaceAllUsesWith(result);
        op->erase();
      }
    }
  }
};

} // namespace
} // namespace systole
