// Decides which operations at computed positions copy windows of arrays that stay in HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_ASSIGNACCESS
#include "compiler/Planning/Passes.h.inc"

namespace {

struct AssignAccess : PlanningPass<impl::AssignAccessBase<AssignAccess>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    getOperation()->walk([&](Operation *op) {
      assignAccess(op);
      if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
        chooseAccess(gather);
    });
  }

private:
  /// Windows of many rows may take longer than the loop over positions of an array in VMEM: as many
  /// copies as the queue holds are under way for a latency.
  void chooseAccess(stablehlo::GatherOp op) {
    Attribute access = op->getAttr(kernel::kAccessAttr);
    if (!access)
      return;
    std::optional<Plan> windows = planner().plan({op});
    op->removeAttr(kernel::kAccessAttr);
    std::optional<Plan> whole = planner().plan({op});
    // The latencies of few copies, in which the estimate is off, are no reason.
    double least = planner().machine().model.emptyKernel();
    if (!whole || (windows && windows->cycles <= whole->cycles + least))
      op->setAttr(kernel::kAccessAttr, access);
  }
};

} // namespace

std::unique_ptr<Pass> createAssignAccess(std::shared_ptr<Planner> planner) {
  return std::make_unique<AssignAccess>(std::move(planner));
}

} // namespace systole
