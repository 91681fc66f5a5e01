// The cost of products: the steps of the MXUs that codegen makes of them (compiler/Codegen/Dot.cpp
// and DotStep.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotPhases.h"
#include "compiler/Model/ProductPasses.h"
#include "compiler/Planning/Cost/Stage.h"

using namespace mlir;

namespace systole {

namespace {

class ProductCost {
public:
  ProductCost(const ProductStage &stage, const MachineModel &model)
      : stage(stage), shape(stage.shape), model(model),
        all(stage.lhs, stage.rhs, static_cast<unsigned>(stage.passes)), isInteger(all.isInteger),
        lhsParts(all.lhsParts), rhsParts(all.rhsParts), passes(static_cast<int>(all.order.size())) {
  }

  StageCost run() const {
    if (shape.isEmpty())
      return {};
    if (shape.hasNoDepth())
      return rowGroups(stage.outRows, 0, 1, {}) * (1 + stage.rounds);
    bool isSummed = shape.kBlocks() > 1 || !shape.depth.empty();
    bool apart = !isInteger && passes > 1 && isSummed;
    bool isSplit = all.areLoop(shape) && scratchBytes(apart) <= stage.freeBytes;
    StageCost total;
    if (isSplit)
      for (auto [rows, parts] : {std::pair(stage.lhsRows, lhsParts), {stage.rhsRows, rhsParts}})
        total += rowGroups(rows, 1, takers(parts), splitting(parts) * takers(parts));
    for (int pass = 0; pass < passes; ++pass) {
      for (const DotPhase &phase : phasesOf(shape, model.mxus()))
        total += phaseCost(phase, pass == 0 || apart, isSplit);
      if (!apart || pass == 0)
        continue;
      if (shape.resultRows() < stage.outRows)
        total += rowGroups(stage.outRows, 0, 1, {});
      // The pass's sums are added to those before.
      total += rowGroups(stage.outRows, 2, 1, model.arithmetic({1}, {1}));
    }
    return total;
  }

private:
  /// Buffers of parts: of the most significant one of floats there are two
  /// (compiler/Codegen/DotParts.h).
  int takers(int parts) const { return isInteger ? parts : parts + 1; }
  /// Bytes of the parts of both operands, in bf16, and of the sums of a pass that are apart.
  int64_t scratchBytes(bool apart) const {
    int64_t parts = takers(lhsParts) * stage.lhsRows + takers(rhsParts) * stage.rhsRows;
    return parts * kRowBytes / 2 + (apart ? stage.outRows * kRowBytes : 0);
  }
  /// The instructions that take a part from an element.
  Work splitting(int parts) const {
    if (isInteger)
      return model.arithmetic({parts > 1 ? 2 : 0, 0, 1}, {parts > 1 ? 2 : 0, 0, 1});
    if (passes == 1)
      return {};
    return model.arithmetic({1, 0, parts}, {1, 0, parts});
  }

  /// A loop over `rows` logical rows, eight at a time.
  StageCost rowGroups(int64_t rows, double loads, double stores, const Work &between) const {
    Work work = model.load() * loads;
    work.chain = loads ? model.load().chain : 0;
    work += between;
    work += model.store() * stores;
    work.scalar = 2;
    double trips = double(llvm::divideCeil(rows, kSublanes));
    return {model.pipeline(work, trips), work * trips};
  }

  StageCost phaseCost(const DotPhase &phase, bool startsNew, bool isSplit) const {
    double groups = double(phase.groupsPerMxu()), used = double(phase.usedMxus);
    double steps = double(phase.nCount) * phase.kCount, reductions = phase.kCount;
    for (const DotRange &range : phase.batch)
      steps *= range.count;
    for (auto [dim, box] : llvm::zip(shape.rows, phase.box))
      steps *= llvm::divideCeil(dim.size, box);
    for (const DotDim &dim : shape.depth) {
      steps *= dim.size;
      reductions *= dim.size;
    }
    // An MXU of several tiles has as many blocks of weights: a push takes rows of each block of k
    // and has a result for each tile.
    const DotTiles &tiles = phase.tiles;
    int64_t k = std::min(shape.k - phase.kFirst * kLanes, tiles.depth * kLanes);
    int64_t n = std::min(shape.n - phase.nFirst * kLanes, tiles.columns * kLanes);
    double latches = double(latchGroups(shape.rhsTransposed ? n : k) *
                            (shape.rhsTransposed ? tiles.depth : tiles.columns));
    bool sharesWeights = phase.split == DotSplit::rows;
    // MXUs with columns or a share of the depth of their own push the same rows, or others.
    bool sharesRows = phase.split == DotSplit::columns;
    bool joins = phase.split == DotSplit::depth;

    Work step;
    double latchLoads = latches * (sharesWeights ? 1 : used);
    double pushLoads = groups * double(tiles.depth) * (sharesRows ? 1 : used);
    double columns = double(tiles.columns), sums = columns * double(tiles.depth);
    double results = groups * columns * (joins ? 1 : used);
    bool adds = !startsNew || reductions > 1 || phase.kFirst > 0 || stage.accumulates;
    step.load = latchLoads + pushLoads + (adds ? results : 0);
    step.store = results * (stage.rounds && reductions > 1 ? 2 : 1);
    step.push = used * (latches + 1 + groups);
    step.pop = used * groups * sums;
    step.mxuPush = model.productStep(groups, 0, sums);
    step.mxuLatch = model.productStep(0, latches);
    Work parts = splitting(lhsParts);
    if (!isSplit)
      step.vector += parts.vector * pushLoads + splitting(rhsParts).vector * latchLoads;
    if (isInteger)
      step.vector += (passes > 1 ? 2 : 1) * used * groups * sums;
    // Every result of a push is added to a sum, but for the first ones.
    step.vector += used * groups * sums - (adds ? 0 : results);
    if (startsNew && phase.kFirst == 0 && reductions > 1 && !stage.accumulates)
      step.vector += results; // the first of a sum replaces what is there
    step.scalar = 12;
    double apart = std::max(model.issue(step), model.productStep(groups, latches, sums));
    // The first step waits for its weights, the last one for its results.
    double fill = model.latchFill(latches) + model.load().chain;
    double drain = model.productStep(groups, 0, sums) + model.pushDrain();
    StageCost cost;
    cost.cycles = fill + (steps - 1) * apart + std::max(drain, model.issue(step));
    cost.work = step * steps;
    return cost;
  }

  /// Groups of eight rows of weights.
  int64_t latchGroups(int64_t rows) const {
    if (shape.runs.size() <= 1)
      return llvm::divideCeil(rows, kSublanes);
    int64_t groups = 1;
    for (const DotRun &run : ArrayRef<DotRun>(shape.runs).drop_back())
      groups *= run.size;
    return std::min<int64_t>(groups * llvm::divideCeil(shape.runs.back().size, kSublanes),
                             kLanes / kSublanes);
  }

  const ProductStage &stage;
  const DotShape &shape;
  const MachineModel &model;
  ProductPasses all;
  bool isInteger;
  int lhsParts, rhsParts, passes;
};

} // namespace

StageCost costOf(const ProductStage &stage, const MachineModel &model) {
  return ProductCost(stage, model).run();
}

} // namespace systole
