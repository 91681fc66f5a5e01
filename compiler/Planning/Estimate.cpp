// The cost of a kernel: its operands' copies and its stages.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Estimate.h"

#include "compiler/Graph/TensorTypes.h"
#include "compiler/Planning/Cost/Grid.h"
#include "compiler/Planning/Cost/StageEstimator.h"

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

namespace {

/// How an operand is copied, and along which axes its blocks change.
GridOperand operandOf(const BlockedOperand &operand, const Blocking &blocking) {
  RankedTensorType type = typeOf(operand.value);
  OpOperand *use = operand.ownUse;
  SmallVector<int64_t> block = use ? blocking.blockShape(*use) : blocking.blockShape(operand.value);
  SmallVector<BlockDim, 4> dims;
  for (auto [extent, size] : llvm::zip_equal(type.getShape(), block))
    dims.push_back({extent, size, false});
  // Blocks that start at an offset may start anywhere along every dimension that is cut.
  bool isWindow = use && llvm::any_of(blocking.cuts, [&](const Cut &cut) {
                    return cut.steps() > 1 && cut.offsetBlockOf(*use);
                  });
  if (isWindow)
    for (BlockDim &dim : dims)
      dim.isWindow = dim.block != dim.extent;
  GridOperand result;
  for (auto [axis, cut] : llvm::enumerate(blocking.cuts)) {
    if (cut.steps() <= 1)
      continue;
    const OffsetBlock *offset = use ? cut.offsetBlockOf(*use) : nullptr;
    if (offset)
      dims[offset->dim].isWindow = true;
    std::optional<int64_t> dim = use ? cut.dimOf(*use) : cut.dimOf(operand.value);
    if (offset || dim)
      result.axes |= 1u << axis;
    if (dim && !offset && axis < result.lastShare.size())
      if (int64_t rest = cut.size % cut.blockSize)
        result.lastShare[axis] = double(rest) / double(cut.blockSize);
  }
  result.hasHalves = result.axes && blocking.buffersOf(operand) > 1;
  result.transfer = transferOf(dims, type.getElementType());
  return result;
}

} // namespace

Estimate estimateOf(ArrayRef<Operation *> ops, const Blocking &blocking, const MachineModel &model,
                    int precision) {
  return Estimator(ops, model, precision).of(blocking);
}

Estimator::Estimator(ArrayRef<Operation *> ops, const MachineModel &model, int precision)
    : group(std::make_unique<GroupCosts>(ops, model)), precision(precision) {}

Estimator::~Estimator() = default;

Estimate Estimator::of(const Blocking &blocking) const {
  const MachineModel &model = group->model;
  StageEstimator estimator(*group, blocking, precision);
  estimator.run();
  SmallVector<GridOperand> operands;
  for (const auto &[operand, uses] : estimator.operands) {
    if (typeOf(operand.value).getNumElements() == 0)
      continue;
    GridOperand entry = operandOf(operand, blocking);
    entry.writes = estimator.tensors.outputs.contains(operand.value);
    entry.reads = !entry.writes;
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
  Estimate estimate;
  estimate.cycles = cost.cycles;
  estimate.stages = cost.steps;
  estimate.busy = {std::max(work.mxuPush, work.mxuLatch) * steps,
                   model.vectorCycles(work) * steps,
                   work.load * steps,
                   work.store * steps,
                   work.xlu * steps,
                   work.eup * steps,
                   cost.channel + estimator.windowChannel * steps};
  return estimate;
}

} // namespace systole
