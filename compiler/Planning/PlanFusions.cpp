// Checks the plans of fusions and makes those that are absent.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics/Diagnostics.h"
#include "compiler/Diagnostics/Overflow.h"
#include "compiler/Planning/Alternatives.h"
#include "compiler/Planning/KernelNames.h"
#include "compiler/Planning/Passes.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Planning/Windows.h"
#include "compiler/Tensor/TensorTypes.h"
#include "dialects/Kernel/Resident.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PLANFUSIONS
#include "compiler/Planning/Passes.h.inc"

namespace {

/// The error that operations which cannot be divided take more VMEM than there is, or the reason
/// that they cannot be, if that is another.
LogicalResult reportWhole(kernel::FusionOp fusion, const PlanningContext &machine) {
  std::vector<MemoryUser> users;
  int64_t needed = 0;
  auto add = [&](Value value, StringRef what) {
    RankedTensorType type = typeOf(value);
    Location loc = value.getLoc();
    bool isArgument =
        isa<BlockArgument>(value) && isa<func::FuncOp>(value.getParentBlock()->getParentOp());
    std::string name = isArgument ? nameStack(loc) : "";
    users.push_back({name.empty() ? ownerAt(what, loc) : "argument '" + name + "'", type, loc,
                     paddedBytes(type), payloadBytes(type)});
    needed += paddedBytes(type);
  };
  Block &body = fusion.getBody().front();
  for (Value input : fusion.getInputs())
    add(input, "operand");
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      add(result, "result");
  std::string owner = "operation '" + kernelName(body) + "'";
  if (needed <= machine.vmemBytes)
    return emitUnimplemented(fusion.getLoc())
           << ownerAt(owner, fusion.getLoc())
           << " cannot be divided: " << whyNoPlan(operationsOf(fusion), machine);
  return emitOverflow(fusion.getLoc(),
                      ownerAt(owner, fusion.getLoc()) + ", which takes its arrays whole,", "VMEM",
                      needed, machine.vmemBytes, std::move(users),
                      "give the operation a part of the data at a time: a smaller batch, or "
                      "jax.lax.map over a dimension");
}

struct PlanFusions : PlanningPass<impl::PlanFusionsBase<PlanFusions>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    if (failed(kernel::verifyResident(getOperation())))
      return signalPassFailure();
    WalkResult walked = getOperation()->walk([&](kernel::FusionOp fusion) -> WalkResult {
      if (failed(verifyWindows(fusion)))
        return failure();
      if (fusion.getPlan())
        return verifyPlan(fusion, planner().machine());
      if (planner().planFusion(fusion))
        return success();
      return reportWhole(fusion, planner().machine());
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createPlanFusions(std::shared_ptr<Planner> planner) {
  return std::make_unique<PlanFusions>(std::move(planner));
}

} // namespace systole
