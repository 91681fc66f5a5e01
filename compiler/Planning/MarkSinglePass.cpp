// Marks the products of f32 that the MXUs compute in one pass.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Precision.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_MARKSINGLEPASS
#include "compiler/Planning/Passes.h.inc"

namespace {

struct MarkSinglePass : PlanningPass<impl::MarkSinglePassBase<MarkSinglePass>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    getOperation()->walk([&](stablehlo::DotGeneralOp op) {
      int asked = passesOf(op), passes = asked ? asked : planner().machine().precision;
      bool isF32 = llvm::all_of(op->getOperandTypes(), [](Type type) {
        return cast<RankedTensorType>(type).getElementType().isF32();
      });
      if (isF32 && isOnePass(op, passes))
        op->setAttr(kernel::kSinglePassAttr, UnitAttr::get(&getContext()));
    });
  }
};

} // namespace

std::unique_ptr<Pass> createMarkSinglePass(std::shared_ptr<Planner> planner) {
  return std::make_unique<MarkSinglePass>(std::move(planner));
}

} // namespace systole
