// Leaves arrays that a loop writes as a whole as they are in front of it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Tensor/CountedLoops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ELIDEFILLS
#include "compiler/Fusion/Passes.h.inc"

namespace {

struct ElideFills : impl::ElideFillsBase<ElideFills> {
  void rewrite() override {
    getOperation()->walk([](stablehlo::WhileOp op) {
      std::optional<CountedLoop> loop = CountedLoop::of(op);
      if (!loop)
        return;
      OpBuilder b(op);
      for (OpOperand &init : op->getOpOperands()) {
        Value filled = init.get();
        if (!loop->stackedIn(init.getOperandNumber()))
          continue;
        init.set(kernel::UninitializedOp::create(b, filled.getLoc(), filled.getType()));
        if (Operation *fill = filled.getDefiningOp(); fill && isOpTriviallyDead(fill))
          fill->erase();
      }
    });
  }
};

} // namespace
} // namespace systole
