// Plans which arrays and blocks live across kernels.
// See docs/decisions/residency.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Planning/PlanningPass.h"
#include "compiler/Residency/Passes.h"
#include "compiler/Residency/Residency.h"
#include "compiler/Tensor/TensorLevel.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_PLANRESIDENCY
#include "compiler/Residency/Passes.h.inc"

namespace {

struct PlanResidency : PlanningPass<impl::PlanResidencyBase<PlanResidency>> {
  using PlanningPass::PlanningPass;
  PlanResidency(std::shared_ptr<Planner> planner, ResidencyStep step, int64_t rows)
      : PlanningPass(std::move(planner)) {
    arrays = step == ResidencyStep::Arrays;
    firstBlocks = step == ResidencyStep::FirstBlocks;
    hbmRows = rows;
  }

  void rewrite() override {
    ModuleOp module = getOperation();
    if (failed(verifyTensorLevel(module)))
      return signalPassFailure();
    const PlanningContext &machine = planner().machine();
    if (arrays)
      startFetches(module, hbmRows, machine.model);
    VmemRows vmem(module, machine);
    if (arrays)
      keepArrays(module, vmem);
    if ((firstBlocks && failed(loadFirstBlocks(module, vmem, machine))) ||
        failed(kernel::verifyResident(module)))
      signalPassFailure();
  }

  void keepArrays(ModuleOp module, VmemRows &vmem) {
    // Outer loops first: what they keep is loaded less often.
    SmallVector<stablehlo::WhileOp> loops;
    module->walk<WalkOrder::PreOrder>([&](stablehlo::WhileOp loop) { loops.push_back(loop); });
    ResidentArrays resident(planner(), vmem);
    for (stablehlo::WhileOp loop : loops)
      keepForLoop(loop, resident);
    // Inner blocks first: there the same room serves more kernels.
    forEachBlock(module, [&](Block &block) { keepBetweenKernels(block, resident); });
    for (Block *block : blocksOfFusions(module))
      keepCopies(*block, resident);
  }
};

} // namespace

std::unique_ptr<Pass> createPlanResidency(std::shared_ptr<Planner> planner, ResidencyStep step,
                                          int64_t hbmRows) {
  return std::make_unique<PlanResidency>(std::move(planner), step, hbmRows);
}

} // namespace systole
