// Replaces f64 by narrower element types that give the same results.
// See docs/decisions/f64.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Import/Doubles/Bits.h"
#include "compiler/Import/Passes.h"

#include <map>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_NARROWDOUBLES
#include "compiler/Import/Passes.h.inc"

namespace {

using namespace stablehlo;
using doubles::isDouble;
using doubles::Narrower;

class FunctionNarrower {
public:
  explicit FunctionNarrower(func::FuncOp function) : function(function) {}

  void run() {
    SmallVector<Operation *> readers;
    function.walk([&](Operation *op) {
      if (isa<ConvertOp, CompareOp>(op) && isDouble(op->getOperand(0)))
        readers.push_back(op);
    });
    for (Operation *op : readers) {
      Value narrow =
          isa<ConvertOp>(op) ? narrowed(cast<ConvertOp>(op)) : compared(cast<CompareOp>(op));
      if (!narrow) {
        if (auto compare = dyn_cast<CompareOp>(op))
          compareBits(compare);
        continue;
      }
      op->replaceAllUsesWith(ValueRange(narrow));
      op->erase();
    }
    doubles::eraseUnused(function);
  }

private:
  Value narrowed(ConvertOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.getElementType().isIntOrFloat() || type.getElementType().isF64())
      return {};
    Narrower &to = narrower(type.getElementType(), Narrower::Mode::Rounded);
    return to.accepts(op.getOperand()) ? to.narrow(op.getOperand()) : Value();
  }

  Value compared(CompareOp op) {
    if (op.getCompareType() == ComparisonType::TOTALORDER)
      return {};
    OpBuilder b(op);
    for (Type element :
         {Type(b.getF32Type()), Type(b.getI32Type()), Type(b.getIntegerType(32, false))}) {
      Narrower &to = narrower(element, Narrower::Mode::Exact);
      if (to.accepts(op.getLhs()) && to.accepts(op.getRhs()))
        return CompareOp::create(b, op.getLoc(), to.narrow(op.getLhs()), to.narrow(op.getRhs()),
                                 op.getComparisonDirection(), ComparisonTypeAttr());
    }
    return doubles::compareWithThreshold(b, op);
  }

  Narrower &narrower(Type element, Narrower::Mode mode) {
    return narrowers
        .try_emplace({element.getAsOpaquePointer(), mode == Narrower::Mode::Exact}, element, mode)
        .first->second;
  }

  /// Compares with a constant that is not a splat, by bits.
  void compareBits(CompareOp op) {
    for (Value value : {op.getLhs(), op.getRhs()}) {
      auto constant = doubles::startOf(value).getDefiningOp<ConstantOp>();
      auto elements =
          constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
      if (!elements || !doubles::isNarrowComparison(op, value))
        continue;
      OpBuilder b(op);
      Value bits =
          ConstantOp::create(b, constant.getLoc(), elements.bitcast(b.getIntegerType(64, false)));
      doubles::narrowComparison(op, value, constant, bits);
      return;
    }
  }

  func::FuncOp function;
  std::map<std::pair<const void *, bool>, Narrower> narrowers;
};

struct NarrowDoubles : impl::NarrowDoublesBase<NarrowDoubles> {
  void rewrite() override {
    doubles::foldConstants(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      FunctionNarrower(function).run();
  }
};

} // namespace
} // namespace systole
