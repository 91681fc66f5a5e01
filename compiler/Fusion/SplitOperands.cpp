// Gives arrays that one operation reads in two ways a second name, and one to what must be in HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/OpKinds.h"
#include "compiler/Graph/TensorLevel.h"
#include "compiler/Planning/PlanningPass.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SPLITOPERANDS
#include "compiler/Fusion/Passes.h.inc"

namespace {

struct SplitOperands : PlanningPass<impl::SplitOperandsBase<SplitOperands>> {
  using PlanningPass::PlanningPass;

  void runOnOperation() override {
    if (failed(verifyTensorLevel(getOperation())))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      switch (kindOf(op)) {
      case OpKind::Elementwise:
        return visit(op, readAgain(op), VmemUse::Shared);
      case OpKind::Dot:
      case OpKind::Movement:
      case OpKind::Reshape:
      case OpKind::Reduce:
      case OpKind::Indexed:
      case OpKind::Convolution: {
        SmallVector<OpOperand *> again = readAgain(op), repeated = readRepeated(op);
        // What is repeated is written for its name: only where there is no kernel at all without.
        VmemUse use = repeated.empty() ? VmemUse::Shared : VmemUse::Most;
        llvm::append_range(again, repeated);
        return visit(op, again, use);
      }
      default:
        return;
      }
    });
  }

  /// Further uses of the same arrays in the kernel of `op`.
  static SmallVector<OpOperand *> readAgain(Operation *op) {
    SmallVector<Operation *> ops;
    appendWithRematerialized(op, ops);
    llvm::SmallPtrSet<Value, 8> seen;
    SmallVector<OpOperand *> again;
    for (Operation *reader : ops)
      for (OpOperand &operand : reader->getOpOperands())
        if (!isRematerializable(operand.get().getDefiningOp()) && rankOf(operand) > 0 &&
            !seen.insert(operand.get()).second)
          again.push_back(&operand);
    return again;
  }

  /// Operands of which `op` would have a copy of its own. Only what is in HBM can be read at
  /// an offset.
  static SmallVector<OpOperand *> readRepeated(Operation *op) {
    SmallVector<OpOperand *> repeated;
    for (OpOperand &operand : op->getOpOperands())
      if (isRematerializable(operand.get().getDefiningOp()) && rankOf(operand) > 0 &&
          !isIndexOperand(operand))
        repeated.push_back(&operand);
    return repeated;
  }

  static int64_t rankOf(OpOperand &operand) {
    return cast<RankedTensorType>(operand.get().getType()).getRank();
  }

  /// Gives each of `candidates` a name of its own if `op` can only then be cut,
  /// with so much VMEM.
  void visit(Operation *op, ArrayRef<OpOperand *> candidates, VmemUse use) const {
    auto operations = [&] {
      SmallVector<Operation *> ops;
      appendWithRematerialized(op, ops);
      return ops;
    };
    if (candidates.empty() || planner().plan(operations(), use))
      return;
    for (OpOperand *operand : candidates) {
      OpBuilder b(operand->getOwner());
      Value value = operand->get();
      operand->set(kernel::ReinterpretOp::create(b, op->getLoc(), value.getType(), value));
    }
    if (planner().plan(operations(), VmemUse::Most))
      return;
    // That is not what it takes.
    for (OpOperand *operand : candidates) {
      auto name = operand->get().getDefiningOp<kernel::ReinterpretOp>();
      operand->set(name.getSource());
      name.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createSplitOperands(std::shared_ptr<Planner> planner) {
  return std::make_unique<SplitOperands>(std::move(planner));
}

} // namespace systole
