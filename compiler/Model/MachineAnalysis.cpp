// The machine's model as an analysis of a module, and the pass that sets it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/MachineAnalysis.h"

#include "compiler/Model/Passes.h"
#include "dialects/Machine/Target/Target.h"

using namespace mlir;

namespace systole {
#define GEN_PASS_DEF_SETTARGET
#include "compiler/Model/Passes.h.inc"

static constexpr char kDefaultTarget[] = "v3";

void MachineAnalysis::setDefault() {
  if (!current)
    setTarget(*Target::load(kDefaultTarget));
}

const MachineModel &MachineAnalysis::model() {
  setDefault();
  return *current;
}

const SliceModel &MachineAnalysis::slice() {
  setDefault();
  return *currentSlice;
}

void MachineAnalysis::setTarget(const Target &target, const CodeBudget &budget) {
  current = std::make_unique<MachineModel>(target, budget);
  currentSlice = std::make_unique<SliceModel>(target);
}

namespace {

struct SetTarget : impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;
  SetTarget(const Target &known, const CodeBudget &budget) : known(known), budget(budget) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (known)
      return getAnalysis<MachineAnalysis>().setTarget(*known, budget);
    auto loaded = Target::load(target.getValue());
    if (!loaded.ok()) {
      getOperation().emitError() << std::string(loaded.status().message());
      return signalPassFailure();
    }
    getAnalysis<MachineAnalysis>().setTarget(*loaded);
  }

  std::optional<Target> known;
  CodeBudget budget;
};

} // namespace

std::unique_ptr<Pass> createSetTarget(const Target &target, const CodeBudget &budget) {
  return std::make_unique<SetTarget>(target, budget);
}

} // namespace systole
