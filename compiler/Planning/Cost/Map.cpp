// The cost of kernel.map: the loops that codegen makes of it (compiler/Codegen/Map.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Stage.h"

using namespace mlir;

namespace systole {

namespace {

/// Instructions that begin an outer loop's iteration: its index, and addresses that it moves.
constexpr double kOuterScalars = 4;

class MapCost {
public:
  MapCost(const MapStage &stage, const MachineModel &model) : stage(stage), model(model) {
    for (const StageInput &input : stage.inputs)
      accesses.push_back(accessOf(input, stage.sizes));
    StageInput output;
    output.block = VmemBlock(stage.sizes, nullptr);
    for (size_t d = 0; d < stage.sizes.size(); ++d)
      output.indices.push_back({static_cast<int64_t>(d)});
    accesses.append(stage.outputs.size(), accessOf(output, stage.sizes));
    auto rows = llvm::map_to_vector(
        accesses, [](const RowAccess &access) -> const RowAccess * { return &access; });
    SmallVector<bool> pinned(stage.sizes.size(), false), reduced(stage.sizes.size(), false);
    for (int64_t dim : stage.pinned)
      pinned[dim] = true;
    dims = loopDims(stage.sizes, rows, pinned, reduced);
    if (dims.empty()) {
      LoopDim single;
      single.strides.assign(stage.inputs.size(), 0);
      single.strides.append(stage.outputs.size(), 1);
      dims.push_back(single);
    }
    sublaneDim = densestDim(dims);
  }

  StageCost run() const {
    if (llvm::is_contained(stage.sizes, 0))
      return {};
    int64_t extent = dims[sublaneDim].extent, rest = extent % kSublanes;
    if (rest && paddingTakesLastGroup(dims, sublaneDim, accesses, stage.inputs,
                                      VmemBlock(stage.sizes, nullptr).logicalRows()))
      return groups(extent / kSublanes + 1);
    StageCost total = groups(extent / kSublanes);
    if (rest)
      total += groups(1);
    return total;
  }

private:
  /// The cost of all vectors, of which there are `count` along the sublanes.
  StageCost groups(int64_t count) const {
    if (count == 0)
      return {};
    SmallVector<size_t> order;
    SmallVector<int64_t> trips;
    for (auto [number, dim] : llvm::enumerate(dims)) {
      order.push_back(number);
      trips.push_back(number == sublaneDim ? count : dim.extent);
    }
    auto rows = llvm::map_to_vector(
        accesses, [](const RowAccess &access) -> const RowAccess * { return &access; });
    SmallVector<LoopInput> inputs = loopInputs(dims, rows, stage.inputs.size(), sublaneDim);
    auto changes = [&](size_t a, size_t dim) { return inputs[a].changes[dim]; };
    LoopPlan plan =
        planLoops(order, trips, mostCopies(stage.inputs.size()), inputs, stage.body.all.vector());
    // The innermost loop, which is pipelined; what is inside of it is unrolled.
    size_t levels = plan.levels.size(), innermost = plan.innermostLoop().value_or(levels);
    double outer = 1, copies = 1;
    for (auto [level, entry] : llvm::enumerate(plan.levels)) {
      if (entry.unrolled)
        copies *= trips[entry.dim];
      else if (level != innermost)
        outer *= trips[entry.dim];
    }

    Work inside, around;
    double chain = 0;
    bool isLoop = innermost < levels;
    for (size_t a = 0; a < stage.inputs.size(); ++a) {
      size_t deepest = levels;
      double loads = 1;
      for (auto [level, entry] : llvm::enumerate(plan.levels))
        if (changes(a, entry.dim))
          deepest = level;
      bool isHoisted = isLoop && plan.hoistsInvariants && deepest < levels &&
                       !changes(a, plan.levels[innermost].dim);
      for (size_t level = 0; level < levels && deepest < levels && level <= deepest; ++level)
        if (plan.levels[level].unrolled && (!isHoisted || changes(a, plan.levels[level].dim)))
          loads *= trips[plan.levels[level].dim];
      bool gathers = accesses[a].laneDim >= 0 &&
                     llvm::is_contained(dims[sublaneDim].parts, accesses[a].laneDim);
      Work load = loadOf(stage.inputs[a], accesses[a], gathers, model);
      bool isInside = deepest < levels && (!isLoop || deepest >= innermost) && !isHoisted;
      if (isInside)
        chain = std::max(chain, load.chain);
      load.chain = isInside ? 0 : load.chain;
      (isInside ? inside : around) += load * loads;
      if (isInside)
        inside.scalar += stage.inputs[a].hasHalves + addressScalars(a, plan, innermost);
    }
    Work body = workOf(stage.body, model) * copies;
    inside += body;
    double stored = 0;
    for (Type element : stage.outputs) {
      Work store = storeOf(element, model);
      stored = std::max(stored, store.chain);
      store.chain = 0;
      inside += store * copies;
    }
    inside.scalar += stage.outputHalves;
    inside.chain = chain + body.chain + stored;

    StageCost cost;
    double iterations = isLoop ? trips[plan.levels[innermost].dim] : 1;
    if (isLoop)
      inside.scalar += 1; // the index
    cost.work = inside * (iterations * outer);
    cost.work += around * outer;
    cost.cycles = outer * run(inside, iterations, copies);
    if (around.load > 0)
      cost.cycles += outer * model.once(around);
    if (outer > 1)
      cost.cycles += outer * model.scalar(kOuterScalars, 0);
    return cost;
  }

  /// Scalars that compute an access's row in an iteration of the innermost loop.
  double addressScalars(size_t a, const LoopPlan &plan, size_t innermost) const {
    if (innermost >= plan.levels.size())
      return 0;
    for (size_t other = 0; other < a; ++other) // equal rows are computed once
      if (llvm::all_of(dims,
                       [&](const LoopDim &dim) { return dim.strides[other] == dim.strides[a]; }))
        return 0;
    double scalars = dims[plan.levels[innermost].dim].strides[a] > 1;
    for (size_t level = 0; level < innermost; ++level)
      if (dims[plan.levels[level].dim].strides[a])
        return scalars + 1;
    return scalars;
  }

  double run(const Work &inside, double iterations, double copies) const {
    if (stage.body.trips == 0) {
      double apart = model.registerBound(inside, stage.body.all.vector());
      return model.pipeline(inside, iterations, apart) + apart - model.issue(inside);
    }
    // A loop inside of the body keeps iterations apart.
    Work loop = model.arithmetic(stage.body.loop, stage.body.loopChain);
    double inner = copies * stage.body.trips * model.once(loop);
    return iterations * (model.once(inside) + inner);
  }

  const MapStage &stage;
  const MachineModel &model;
  SmallVector<RowAccess> accesses;
  SmallVector<LoopDim> dims;
  size_t sublaneDim = 0;
};

} // namespace

StageCost costOf(const MapStage &stage, const MachineModel &model) {
  return MapCost(stage, model).run();
}

} // namespace systole
