// Collects what was decided about each fusion: plans that lost, kernels that were not merged,
// padding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Fusion/FusionDraft.h"
#include "compiler/Fusion/FusionPairs.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Planning/Alternatives.h"
#include "compiler/Planning/Padding.h"
#include "compiler/Planning/PlanAttribute.h"
#include "compiler/Planning/PlanningPass.h"
#include "dialects/Kernel/Resident.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_EXPLAINFUSIONS
#include "compiler/Fusion/Passes.h.inc"

namespace {

/// Plans of one kernel that lost, beside its own.
constexpr size_t kMostAlternatives = 4;

// The two of a pair.
constexpr StringLiteral kProducer = "this kernel", kReader = "the reader";

/// The fusions that read what `values` name, in the same block, and whether under another name.
void appendReaders(ResultRange values, bool isAliased,
                   llvm::MapVector<kernel::FusionOp, bool> &readers) {
  for (Value value : values)
    for (Operation *user : value.getUsers()) {
      if (user->getBlock() != value.getDefiningOp()->getBlock())
        continue;
      if (auto reader = dyn_cast<kernel::FusionOp>(user))
        readers.try_emplace(reader, isAliased);
      else if (isAlias(user))
        appendReaders(user->getResults(), true, readers);
    }
}

class Explainer {
public:
  explicit Explainer(Planner &planner) : planner(planner) {}

  LogicalResult run(ModuleOp module) {
    SmallVector<kernel::FusionOp> fusions;
    module.walk([&](kernel::FusionOp fusion) {
      numbers[fusion] = fusions.size();
      fusions.push_back(fusion);
    });
    for (kernel::FusionOp fusion : fusions) {
      FailureOr<Blocking> blocking = blockingOf(fusion);
      if (failed(blocking))
        return failure();
      const PlanningContext &machine = planner.machine();
      KernelDecision &decision = decisions.emplace_back();
      decision.plan = planDecision(fusion, *blocking, machine);
      decision.alternatives = alternativesOf(fusion, *blocking, machine, kMostAlternatives);
      decision.padding = paddingOf(fusion, *blocking);
      remarkPlan(fusion, decision);
    }
    // While pairs are looked at, a result that VMEM keeps has its readers itself.
    SmallVector<std::pair<OpOperand *, Value>> readsOfResident;
    module.walk([&](kernel::ResidentOp resident) {
      if (resident.getResidency() == kernel::Residency::kernels)
        for (OpOperand &read : resident->getUses())
          readsOfResident.emplace_back(&read, resident.getResult());
    });
    for (auto [read, resident] : readsOfResident)
      read->set(resident.getDefiningOp<kernel::ResidentOp>().getSource());
    for (Block *block : blocksOfFusions(module)) {
      FusionPairs pairs(*block, planner);
      for (auto fusion : llvm::to_vector(block->getOps<kernel::FusionOp>()))
        explainReaders(fusion, pairs);
    }
    for (auto [read, resident] : readsOfResident)
      read->set(resident);
    return success();
  }

  Decisions decisions;

private:
  void explainReaders(kernel::FusionOp fusion, FusionPairs &pairs) {
    llvm::MapVector<kernel::FusionOp, bool> found;
    appendReaders(fusion->getResults(), false, found);
    auto readers = found.takeVector();
    llvm::sort(readers, [&](auto &a, auto &b) { return numbers[a.first] < numbers[b.first]; });
    for (auto [reader, isAliased] : readers) {
      ReaderDecision decision = isAliased
                                    ? ReaderDecision{0, textOf(Obstacle::Alias, kReader), 0, 0}
                                    : decisionOf(fusion, reader, pairs);
      decision.reader = numbers[reader];
      remarkReader(reader, decision);
      decisions[numbers[fusion]].readers.push_back(std::move(decision));
    }
  }

  ReaderDecision decisionOf(kernel::FusionOp fusion, kernel::FusionOp reader, FusionPairs &pairs) {
    ReaderDecision decision;
    for (auto [one, name] : {std::pair(fusion, kProducer), std::pair(reader, kReader)})
      if (Obstacle own = pairs.ownObstacle(one); own != Obstacle::None) {
        decision.reason = textOf(own, name);
        return decision;
      }
    Obstacle obstacle = pairs.obstacleOf(fusion, reader);
    if (obstacle != Obstacle::None) {
      decision.reason = textOf(obstacle);
      return decision;
    }
    FusionPair pair = pairs.merge(fusion, reader);
    decision.reason = textOf(pair.obstacle);
    if (pair.obstacle == Obstacle::Plan)
      decision.reason += ": " + whyNoPlan(operationsOf(pair.merged), planner.machine());
    decision.oneKernel = pair.oneKernel;
    decision.twoKernels = pair.twoKernels;
    pairs.discard(pair);
    return decision;
  }

  static constexpr remark::RemarkOpts remarkOf(StringRef name) {
    return remark::RemarkOpts::name(name).category("systole-explain-fusions");
  }

  static void remarkPlan(kernel::FusionOp fusion, const KernelDecision &decision) {
    auto addPlan = [](remark::detail::InFlightRemark &remark, const PlanDecision &plan) {
      remark << remark::metric("Cycles", std::llround(plan.cycles))
             << remark::metric("Steps", plan.steps);
    };
    {
      auto own = remark::analysis(fusion.getLoc(), remarkOf("Plan"));
      addPlan(own, decision.plan);
      own << remark::metric("MovedBytes", decision.padding.movedBytes)
          << remark::metric("MovedPadding", decision.padding.movedPadding);
    }
    for (const PlanDecision &alternative : decision.alternatives) {
      auto other = remark::missed(fusion.getLoc(), remarkOf("Alternative"));
      addPlan(other, alternative);
    }
  }

  static void remarkReader(kernel::FusionOp reader, const ReaderDecision &decision) {
    auto remark = remark::missed(reader.getLoc(), remarkOf("TwoKernels"));
    if (!decision.reason.empty())
      remark << remark::reason("{0}", decision.reason);
    else
      remark << remark::metric("OneKernelCycles", std::llround(decision.oneKernel))
             << remark::metric("TwoKernelsCycles", std::llround(decision.twoKernels));
  }

  Planner &planner;
  llvm::DenseMap<Operation *, size_t> numbers;
};

struct ExplainFusions : PlanningPass<impl::ExplainFusionsBase<ExplainFusions>> {
  using PlanningPass::PlanningPass;
  ExplainFusions(std::shared_ptr<Planner> planner, Decisions &decisions)
      : PlanningPass(std::move(planner)), decisions(&decisions) {}

  void runOnOperation() override {
    Explainer explainer(planner());
    if (failed(explainer.run(getOperation())))
      return signalPassFailure();
    if (!decisions)
      return;
    *decisions = std::move(explainer.decisions);
    OpBuilder builder(&getContext());
    int64_t number = 0;
    getOperation()->walk([&](kernel::FusionOp fusion) {
      fusion->setAttr(kernel::kDecisionAttr, builder.getI64IntegerAttr(number++));
    });
  }

  Decisions *decisions = nullptr; ///< null of the pass by itself
};

} // namespace

std::unique_ptr<Pass> createExplainFusions(std::shared_ptr<Planner> planner, Decisions &decisions) {
  return std::make_unique<ExplainFusions>(std::move(planner), decisions);
}

} // namespace systole
