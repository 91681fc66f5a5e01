// Rounds loop-invariant operands of products to bf16 once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/CountedLoops.h"
#include "compiler/Tensor/TensorTypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ROUNDINVARIANTOPERANDS
#include "compiler/Fusion/Passes.h.inc"

namespace {

/// Whether trips that each read half of an array less save more than it takes to read it once and
/// write its half, in halves. A loop whose trips are not known is taken to have many.
bool paysRounding(stablehlo::WhileOp loop) {
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  return !counted || counted->trips() > 2 + 1;
}

/// The outermost loop around `op` outside of which `value` is defined, of those that run often
/// enough.
stablehlo::WhileOp outermostInvariantLoop(Operation *op, Value value) {
  stablehlo::WhileOp outermost;
  for (auto loop = op->getParentOfType<stablehlo::WhileOp>();
       loop && !loop->isAncestor(value.getParentRegion()->getParentOp());
       loop = loop->getParentOfType<stablehlo::WhileOp>())
    if (paysRounding(loop))
      outermost = loop;
  return outermost;
}

bool isRounded(OpOperand &operand) {
  return isa<stablehlo::DotGeneralOp>(operand.getOwner()) &&
         operand.getOwner()->hasAttr(kernel::kSinglePassAttr);
}

struct RoundInvariantOperands : impl::RoundInvariantOperandsBase<RoundInvariantOperands> {
  void rewrite() override {
    llvm::MapVector<std::pair<Value, Operation *>, SmallVector<OpOperand *>> found;
    getOperation()->walk([&](stablehlo::DotGeneralOp dot) {
      for (OpOperand &operand : dot->getOpOperands())
        if (isRounded(operand) && typeOf(operand.get()).getElementType().isF32())
          if (auto loop = outermostInvariantLoop(dot, operand.get()))
            found[{operand.get(), loop}].push_back(&operand);
    });
    for (auto &[key, operands] : found) {
      auto [value, loop] = key;
      bool isReadOtherwise = llvm::any_of(value.getUses(), [&, loop = loop](OpOperand &use) {
        return loop->isProperAncestor(use.getOwner()) && !isRounded(use);
      });
      if (isReadOtherwise)
        continue;
      OpBuilder b(loop);
      Value rounded = stablehlo::ConvertOp::create(b, value.getLoc(),
                                                   typeOf(value).clone(b.getBF16Type()), value);
      for (OpOperand *operand : operands)
        operand->set(rounded);
    }
  }
};

} // namespace
} // namespace systole
