// Lets VMEM keep arrays between the kernels that write and read them, or for all trips of a loop.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/KeptArrays.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/PlanningPass.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_KEEPINVMEM
#include "compiler/Fusion/Passes.h.inc"

namespace {

struct KeepInVmem : PlanningPass<impl::KeepInVmemBase<KeepInVmem>> {
  using PlanningPass::PlanningPass;

  void rewrite() override {
    // Outer loops first: what they keep is loaded less often.
    SmallVector<stablehlo::WhileOp> loops;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](stablehlo::WhileOp loop) { loops.push_back(loop); });
    KeptArrays arrays(planner(), getOperation());
    for (stablehlo::WhileOp loop : loops)
      keepForLoop(loop, arrays);
    // Inner blocks first: there the same room serves more kernels.
    getOperation()->walk([&](Block *block) { keepBetweenKernels(*block, arrays); });
    for (Block *block : blocksOfFusions(getOperation()))
      keepCopies(*block, arrays);
  }
};

} // namespace

std::unique_ptr<Pass> createKeepInVmem(std::shared_ptr<Planner> planner) {
  return std::make_unique<KeepInVmem>(std::move(planner));
}

} // namespace systole
