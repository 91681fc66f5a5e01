// Decides which operations at computed positions copy windows of arrays that stay in HBM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GatherAccess.h"
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
      if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
        planWithAccess(planner(), gather);
      else
        assignAccess(op);
    });
  }
};

} // namespace

std::unique_ptr<Pass> createAssignAccess(std::shared_ptr<Planner> planner) {
  return std::make_unique<AssignAccess>(std::move(planner));
}

} // namespace systole
