// The cost of a kernel: its operands' copies and its stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Estimate.h"

#include "compiler/Planning/Cost/Ahead.h"
#include "compiler/Planning/Cost/Grid.h"
#include "compiler/Planning/Cost/StageEstimator.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

Estimate::Unit Estimate::bound() const {
  return static_cast<Unit>(std::max_element(busy.begin(), busy.end()) - busy.begin());
}

StringRef nameOf(Estimate::Unit unit) {
  static constexpr std::array<const char *, Estimate::unitCount> names = {
      "mxu", "valu", "load", "store", "xlu", "eup", "hbm"};
  return names[unit];
}

Estimate estimateOf(ArrayRef<Operation *> ops, const Blocking &blocking, const MachineModel &model,
                    int precision) {
  return Estimator(ops, model, precision).of(blocking, /*overlaps=*/true);
}

Estimator::Estimator(ArrayRef<Operation *> ops, const MachineModel &model, int precision)
    : group(std::make_unique<GroupCosts>(ops, model)), precision(precision) {}

Estimator::~Estimator() = default;

Estimate Estimator::of(const Blocking &blocking, bool overlaps) const {
  const MachineModel &model = group->model;
  StageEstimator estimator(*group, blocking, precision);
  estimator.run();
  Estimate estimate;
  SmallVector<GridOperand> operands;
  for (const auto &[operand, uses] : estimator.operands) {
    if (typeOf(operand.value).getNumElements() == 0 || blocking.isResident(operand.value))
      continue;
    GridOperand entry = gridOperandOf(operand, blocking);
    entry.writes = estimator.tensors.outputs.contains(operand.value);
    entry.reads = !entry.writes;
    if (auto *it =
            llvm::find_if(estimator.divided, [&](auto &entry) { return entry.first == operand; });
        it != estimator.divided.end()) {
      entry.pieces = it->second;
      estimate.divided.push_back({operand, entry.pieces.count});
    }
    entry.firstUse = uses.first;
    entry.lastUse = uses.last;
    operands.push_back(entry);
  }
  SmallVector<int64_t> grid;
  for (const Cut &cut : blocking.cuts)
    grid.push_back(cut.steps());
  SmallVector<double> stages;
  Work work;
  for (const StageCost &stage : estimator.stages) {
    stages.push_back(stage.cycles);
    work += stage.work;
  }
  GridCost cost = costOf(grid, operands, stages, estimator.windowChannel > 0, model);
  double steps = double(blocking.steps());
  estimate.cycles = cost.cycles;
  estimate.stages = cost.steps;
  estimate.overlapped = cost.cycles;
  estimate.busy = {std::max(work.mxuPush, work.mxuLatch) * steps,
                   model.vectorCycles(work) * steps,
                   work.load * steps,
                   work.store * steps,
                   work.xlu * steps,
                   work.eup * steps,
                   cost.channel + estimator.windowChannel * steps};
  if (!overlaps)
    return estimate;
  AheadRequest ahead{estimator.stages, operands};
  ahead.steps = blocking.steps();
  for (size_t axis = grid.size(); axis-- > 0 && !ahead.innermost;)
    if (grid[axis] > 1)
      ahead.innermost = 1u << axis;
  // Only now are the bytes worth counting.
  if (hiddenBy(ahead, model).cycles > 0) {
    estimator.measureProducts(ahead);
    Hidden hidden = hiddenBy(ahead, model);
    estimate.handedOn = hidden.bytes;
    *std::max_element(stages.begin(), stages.end()) -= hidden.cycles;
    estimate.overlapped = costOf(grid, operands, stages, estimator.windowChannel > 0, model).cycles;
  }
  return estimate;
}

} // namespace systole
