// Stages that run a step of the grid ahead of the others, beside products.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Ahead.h"

#include "compiler/Model/MachineModel.h"
#include "compiler/Model/Streams.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::ArrayRef;

namespace systole {

// Stages of fewer pushes' intervals do not pay for filling the pipeline that they would share.
constexpr double kFewestPushes = 64;

// The part of what units have room for that schedules hide: loops end, pipelines fill, and
// registers do not suffice for every pair of loops.
constexpr double kHiddenPart = 0.5;

static double most(const Work &work, const MachineModel &model) {
  return std::max({work.mxuPush, work.mxuLatch, model.vectorCycles(work), work.load, work.store,
                   work.xlu, work.eup});
}

/// Whether stages before `cut` may be ahead of the others: no block is needed of two steps.
static bool isLegal(const AheadRequest &request, size_t cut) {
  return llvm::all_of(request.operands, [&](const GridOperand &operand) {
    if (!operand.axes || operand.firstUse >= cut || operand.lastUse < cut)
      return true;
    return operand.writes && operand.hasHalves && (operand.axes & request.innermost);
  });
}

Hidden hiddenBy(const AheadRequest &request, const MachineModel &model) {
  auto isProduct = [](const StageCost &stage) { return stage.work.mxuPush > 0; };
  ArrayRef<StageCost> stages = request.stages;
  const StageCost *first = llvm::find_if(stages, isProduct);
  if (first == stages.end() || request.steps < kFewestStreamSteps)
    return {};
  size_t begin = first - stages.begin(), end = begin;
  StageCost products;
  for (auto [number, stage] : llvm::enumerate(stages))
    if (isProduct(stage)) {
      products += stage;
      end = number + 1;
    }
  Hidden best;
  auto consider = [&](size_t cut, ArrayRef<StageCost> others, int64_t handedOn) {
    if (handedOn > request.freeBytes || !isLegal(request, cut))
      return;
    StageCost hidden;
    for (const StageCost &stage : others)
      if (stage.hasLoops && stage.cycles > kFewestPushes * double(model.mxus().pushInterval))
        hidden += stage;
    Work both = products.work;
    both += hidden.work;
    double together = std::max(products.cycles, most(both, model));
    double saved = products.cycles + hidden.cycles - together;
    if (saved > best.cycles)
      best = {saved, handedOn};
  };
  consider(begin, stages.take_front(begin), request.operandBytes);
  consider(end, stages.drop_front(end), request.resultBytes);
  double repeated = double(request.steps - 1) / double(request.steps);
  if (best.cycles * double(request.steps) <= kStreamCodeCycles)
    return {};
  best.cycles *= kHiddenPart * repeated;
  return best;
}

} // namespace systole
