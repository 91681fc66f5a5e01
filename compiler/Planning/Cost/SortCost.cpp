// The cost of kernel.sort: the loops that codegen makes of it (compiler/Codegen/Sort.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Stage.h"

#include "compiler/Model/SortNetwork.h"
#include "compiler/Tensor/TensorTypes.h"

using namespace mlir;

namespace systole {

/// Scalars that find the two rows of a pair.
constexpr double kPairScalars = 6;

StageCost costOf(kernel::ColumnSortOp op, const VmemBlock &block, const MachineModel &model) {
  SortShape shape(block.shape, op.getChunks());
  SortPasses passes = passesOf(shape, op.getMerge());

  OpCost comparator;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    OpCost cost = opCost(&inner);
    comparator.all = comparator.all + cost.all;
    comparator.chain = comparator.chain + cost.chain;
  }
  const double arrays = double(op.getNumResults());
  // Loads and stores of some vectors of each array.
  auto moved = [&](double vectors) {
    Work work = model.load() * (vectors * arrays);
    work += model.store() * (vectors * arrays);
    work.chain = model.load().chain + model.store().chain;
    return work;
  };
  // Comparisons, each with so many selections of each array.
  auto compared = [&](double count, int selections) {
    Work work = workOf(comparator, model);
    work += model.arithmetic({selections * int(op.getNumResults())}, {selections});
    double chain = work.chain;
    work = work * count;
    work.chain = chain;
    return work;
  };
  auto exchanged = [&](MachineModel::CrossLane how, double count) {
    Work work = model.crossLane(how) * (count * arrays);
    work.chain = model.crossLane(how).chain;
    return work;
  };
  StageCost all;
  auto loop = [&](double times, Work work, double trips) {
    work.scalar += kPairScalars;
    StageCost cost{model.pipeline(work, trips), work * trips};
    all += cost * times;
  };
  const double vectors = double(shape.vectors());
  const bool inRegisters = sortsInRegisters(op.getNumResults(), comparator.all.vector());
  if (inRegisters) {
    Work eights = moved(kSublanes);
    eights += compared(passes.comparators / std::max(1.0, passes.eights), 2);
    loop(passes.eights, eights, vectors / kSublanes);
  } else {
    // A pass over all pairs compares four pairs of each eight vectors.
    passes.rows += passes.comparators * 2 / kSublanes;
  }
  Work rows = moved(2), mirrored = moved(2), lanes = moved(1);
  rows += compared(1, 2);
  mirrored += exchanged(MachineModel::CrossLane::gather, 2);
  mirrored += compared(2, 3);
  lanes += exchanged(MachineModel::CrossLane::rotate, 2);
  lanes += compared(1, 4);
  loop(passes.rows, rows, vectors / 2);
  loop(passes.mirrored, mirrored, vectors / 2);
  loop(passes.lanes, lanes, vectors);
  return all;
}

} // namespace systole
