// Whether gathers read arrays in HBM or in VMEM, by their plans.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/GatherAccess.h"

#include "compiler/Planning/Windows.h"

using namespace mlir;

namespace systole {

bool isFaster(const Planner &planner, const Plan &plan, const Plan &other) {
  return plan.cycles + planner.machine().model.emptyKernel() < other.cycles;
}

// Windows of many rows may take longer than the loop over positions of an array in VMEM: as many
// copies as the queue holds are under way for a latency.
std::optional<Plan> planWithAccess(Planner &planner, stablehlo::GatherOp op) {
  assignAccess(op);
  std::optional<Plan> chosen = planner.plan({op});
  Attribute access = op->getAttr(kernel::kAccessAttr);
  if (!access)
    return chosen;
  op->removeAttr(kernel::kAccessAttr);
  std::optional<Plan> whole = planner.plan({op});
  if (whole && (!chosen || isFaster(planner, *whole, *chosen)))
    return whole;
  op->setAttr(kernel::kAccessAttr, access);
  return chosen;
}

} // namespace systole
