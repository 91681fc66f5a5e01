// Splits 64-bit integers into two 32-bit words.
// See docs/decisions/integers-and-small-types.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Passes.h"
#include "compiler/Legalize/Planes/Entry.h"
#include "compiler/Legalize/Wide64/Splitter.h"
#include "compiler/Tensor/Identities.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITINTEGERS
#include "compiler/Legalize/Passes.h.inc"

namespace {

using namespace expansion;
using namespace wide64;

/// Starts reductions from identities and combines other initial values afterwards: identities of
/// reducers on words cannot be recognized any more.
void separateInitialValues(ModuleOp module) {
  using namespace stablehlo;
  module.walk([](ReduceOp op) {
    Operation *combiner = combinerOf(op.getBody().front());
    DenseElementsAttr identity =
        combiner && isWide(op.getResult(0)) ? identityOf(combiner) : nullptr;
    auto init = op.getInitValues().front().getDefiningOp<ConstantOp>();
    if (!identity || (init && init.getValue() == identity))
      return;
    Tensors t(op);
    Value start = op.getInitValues().front(), result = op.getResult(0);
    op.getInitValuesMutable().assign(t.constant(identity));
    t.b.setInsertionPointAfter(op);
    OperationState state(op.getLoc(), combiner->getName());
    state.addOperands({t.fill(start, shapeOf(result)), result});
    state.addTypes(result.getType());
    state.addAttributes(combiner->getAttrs());
    Operation *combined = t.b.create(state);
    result.replaceAllUsesExcept(combined->getResult(0), combined);
  });
}

struct SplitIntegers : impl::SplitIntegersBase<SplitIntegers> {
  void rewrite() override {
    if (!planes::hasWide(getOperation(), [](Type type) { return isWide(type); }))
      return;
    splitDeepProducts(getOperation());
    separateInitialValues(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      IntegerRanges ranges(function.getBody().front());
      Splitter splitter(ranges);
      if (failed(planes::splitEntry(function, splitter)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace systole
