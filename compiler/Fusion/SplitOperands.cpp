// Gives arrays that one operation reads in two ways a second name.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Tiling/Blocking.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITOPERANDS
#include "compiler/Fusion/Passes.h.inc"

namespace {

struct SplitOperands : impl::SplitOperandsBase<SplitOperands> {
  using SplitOperandsBase::SplitOperandsBase;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (kindOf(op) == OpKind::Elementwise || kindOf(op) == OpKind::Dot)
        visit(op);
    });
  }

  void visit(Operation *op) {
    SmallVector<Operation *> ops;
    appendWithRepeated(op, ops);
    llvm::SmallPtrSet<Value, 8> seen;
    SmallVector<OpOperand *> again;
    for (Operation *reader : ops)
      for (OpOperand &operand : reader->getOpOperands())
        if (!isRepeated(operand.get().getDefiningOp()) &&
            cast<RankedTensorType>(operand.get().getType()).getRank() > 0 &&
            !seen.insert(operand.get()).second)
          again.push_back(&operand);
    if (again.empty() || findBlocking(ops, vmemBytes))
      return;
    for (OpOperand *operand : again) {
      OpBuilder b(operand->getOwner());
      Value value = operand->get();
      operand->set(kernel::ReinterpretOp::create(b, op->getLoc(), value.getType(), value));
    }
    if (findTightBlocking(ops, vmemBytes))
      return;
    // That is not what it takes.
    for (OpOperand *operand : again) {
      auto name = operand->get().getDefiningOp<kernel::ReinterpretOp>();
      operand->set(name.getSource());
      name.erase();
    }
  }
};

} // namespace
} // namespace systole
