// The cost of kernel.reduce: the loops that codegen makes of it (compiler/Codegen/Reduce.cpp and
// ReduceRows.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/ReduceLoops.h"
#include "compiler/Planning/Cost/Stage.h"

using namespace mlir;

namespace systole {

/// The loops of a stage, with the choice of sublanes.
static ReduceLoops loopsOf(const ReduceStage &stage, SmallVectorImpl<RowAccess> &accesses) {
  ArrayRef<int64_t> sizes = stage.sizes;
  SmallVector<bool> pinned(sizes.size(), false);
  for (int64_t dim : stage.pinned)
    pinned[dim] = true;
  for (const StageInput &input : stage.inputs)
    accesses.push_back(accessOf(input, sizes));
  StageInput output;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!llvm::is_contained(stage.dims, static_cast<int64_t>(d))) {
      output.indices.push_back({static_cast<int64_t>(d)});
      output.block.shape.push_back(sizes[d]);
    }
  accesses.append(stage.outputs.size(), accessOf(output, sizes));
  auto rows = llvm::map_to_vector(
      accesses, [](const RowAccess &access) -> const RowAccess * { return &access; });
  ReduceLoops loops =
      reduceLoops(sizes, stage.dims, stage.partials, rows, stage.inputs.size(), pinned);
  loops.chooseSublanes(accesses.size());
  return loops;
}

int64_t resultsAtOnce(const ReduceStage &stage) {
  SmallVector<RowAccess> accesses;
  return loopsOf(stage, accesses).resultsAtOnce();
}

namespace {

/// Scalars that split a number of a row into the indices of a further dimension: a quotient by
/// multiplication, what is left, and addresses of both.
constexpr double kIndexScalars = 7;
/// Instructions of a number of rows and of its quotient by those inside of a dimension.
constexpr int kPartInstructions = 3;
/// Instructions of a mask of one lane.
constexpr int kMaskInstructions = 2;

class ReduceCost {
public:
  ReduceCost(const ReduceStage &stage, const MachineModel &model)
      : stage(stage), model(model), loops(loopsOf(stage, accesses)) {}

  StageCost run() const {
    // The initial values: a row and its broadcast.
    StageCost total;
    if (stage.hasInits) {
      Work start = model.load();
      start += model.crossLane(MachineModel::CrossLane::rotate);
      total = {model.once(start * stage.outputs.size()), start};
    }
    int64_t results = loops.resultCount();
    if (loops.sublanes != Sublanes::kept) {
      total += outputs(results);
      return total;
    }
    int64_t extent = loops.dims[loops.sublaneDim].extent, others = results / extent;
    if (extent % kSublanes &&
        paddingTakesLastGroup(loops.dims, loops.sublaneDim, accesses, stage.inputs, outputRows())) {
      total += outputs(others * llvm::divideCeil(extent, kSublanes));
      return total;
    }
    if (extent / kSublanes)
      total += outputs(others * (extent / kSublanes));
    if (extent % kSublanes)
      total += outputs(others);
    return total;
  }

private:
  using Sublanes = ReduceLoops::Sublanes;

  int64_t outputRows() const {
    SmallVector<int64_t> shape;
    for (auto [d, size] : llvm::enumerate(stage.sizes))
      if (!llvm::is_contained(stage.dims, static_cast<int64_t>(d)))
        shape.push_back(size);
    return VmemBlock(shape, nullptr).logicalRows();
  }

  /// One evaluation of the body and its combination with an accumulator.
  Work step() const {
    Work work = evaluation();
    work += workOf(stage.combiner, model);
    return work;
  }
  Work evaluation() const {
    Work work;
    double chain = 0;
    for (auto [input, access] : llvm::zip(stage.inputs, accesses)) {
      Work load = loadOf(input, access, /*gathers=*/false, model);
      chain = std::max(chain, load.chain);
      load.chain = 0;
      work += load;
      work.scalar += 1;
    }
    if (loops.reduced.size() > 1)
      work.scalar += kIndexScalars * double(loops.reduced.size() - 1);
    work += workOf(stage.body, model);
    work += indices();
    work.chain += chain;
    return work;
  }
  /// Indices of dimensions that are reduced as one with others.
  Work indices() const {
    Work work;
    for (const LoopDim &dim : loops.dims)
      for (int64_t part :
           dim.reduced &&dim.parts.size() > 1 ? ArrayRef(dim.parts) : ArrayRef<int64_t>())
        if (llvm::is_contained(stage.pinned, part))
          work += model.arithmetic({kPartInstructions}, {kPartInstructions});
    return work;
  }

  /// The work after the accumulation, once for each vector of results.
  Work tail() const {
    Work work, combine = workOf(stage.combiner, model);
    if (loops.reducesLanes && stage.hasUnit) {
      work += model.crossLane(MachineModel::CrossLane::reduce) * stage.outputs.size();
      if (loops.laneCount < kLanes)
        work += model.arithmetic({1}, {1});
    } else if (loops.reducesLanes) {
      for (int64_t distance = kLanes / 2; distance > 0; distance /= 2)
        if (distance < std::min(loops.laneCount, kLanes)) {
          work += model.crossLane(MachineModel::CrossLane::rotate) * stage.outputs.size();
          work += combine;
        }
      work += model.crossLane(MachineModel::CrossLane::rotate) * stage.outputs.size();
    }
    if (stage.hasInits)
      work += combine;
    if (loops.reducesLanes)
      work += model.arithmetic({kMaskInstructions}, {1});
    for (Type element : stage.outputs)
      work += storeOf(element, model);
    work.scalar += 2;
    return work;
  }

  /// `count` vectors of results.
  StageCost outputs(int64_t count) const {
    int64_t together = std::min(count, loops.jammedVectors(stage.outputs.size()));
    StageCost cost = times(count / together, together);
    if (int64_t rest = count % together)
      cost += times(1, rest);
    return cost;
  }

  /// The same for `count` times so many vectors as share a loop.
  StageCost times(int64_t count, int64_t together) const {
    StageCost each = loops.sublanes == Sublanes::rows ? vectors() : slots(together);
    StageCost cost;
    cost.work = each.work * count;
    if (straight)
      cost.cycles = model.pipeline(each.work, count);
    else
      cost.cycles = count * each.cycles;
    return cost;
  }

  /// `together` vectors of results of which each slot is a vector of its own.
  StageCost slots(int64_t together) const {
    int64_t depth = loops.depth(), used = loops.slotCount();
    Work combine = workOf(stage.combiner, model);
    Work tree = combine * (used - 1);
    tree.chain = combine.chain * llvm::Log2_64_Ceil(std::max<int64_t>(used, 1));
    return accumulated(depth, used, loops.slotPasses(stage.outputs.size(), together), tree,
                       together);
  }

  /// Results of which the slots are sublanes of one vector or of several.
  StageCost vectors() const {
    Work combine = workOf(stage.combiner, model);
    int64_t used = loops.accumulatorCount();
    Work tree = combine * (used - 1);
    tree.chain = combine.chain * llvm::Log2_64_Ceil(std::max<int64_t>(used, 1));
    for (int64_t distance = kSublanes / 2; distance > 0; distance /= 2)
      if (distance < std::min(loops.depth(), kSublanes)) {
        tree += model.arithmetic({int(stage.outputs.size())}, {1});
        tree += combine;
      }
    return accumulated(llvm::divideCeil(loops.depth(), kSublanes), used, loops.passCount(), tree,
                       /*together=*/1);
  }

  /// `count` evaluations that are combined into `used` accumulators in some passes, and these in a
  /// `tree`, of `together` vectors of results whose chains overlap.
  StageCost accumulated(int64_t count, int64_t used, int64_t passes, Work tree,
                        int64_t together) const {
    tree += tail();
    tree = tree * double(together);
    Work combine = workOf(stage.combiner, model);
    straight = count <= maxUnrolledEvaluations && !stage.body.trips;
    if (straight) {
      Work all = step() * count;
      // The accumulators' chains overlap.
      all.chain = evaluation().chain + combine.chain * (double(count) / used);
      all += tree;
      return {model.once(all), all};
    }
    // The first values, then as many at a time as there are accumulators.
    Work first = evaluation() * double(used * together);
    StageCost cost{model.once(first) + model.once(tree), first};
    cost.work += tree;
    auto loop = [&](double copies, double trips) {
      Work work = step() * (copies * double(together));
      work.scalar += 1;
      cost.cycles += iterations(work, trips, combine.chain, copies * double(together));
      cost.work += work * trips;
    };
    if (int64_t whole = count / used; whole > 1)
      for (int64_t pass = 0; pass < passes; ++pass)
        loop(double(used) / double(passes), whole - 1);
    if (int64_t rest = count % used)
      loop(rest, 1);
    return cost;
  }

  double iterations(const Work &work, double trips, double recurrence, double copies) const {
    if (stage.body.trips == 0) {
      int instructions = stage.body.all.vector() + stage.combiner.all.vector();
      double apart = model.registerBound(work, instructions);
      return model.pipeline(work, trips, std::max(recurrence, apart)) + apart - model.issue(work);
    }
    Work loop = model.arithmetic(stage.body.loop, stage.body.loopChain);
    return trips * (model.once(work) + copies * stage.body.trips * model.once(loop));
  }

  const ReduceStage &stage;
  const MachineModel &model;
  SmallVector<RowAccess> accesses;
  ReduceLoops loops;
  /// Whether the last result needed no loop.
  mutable bool straight = false;
};

} // namespace

StageCost costOf(const ReduceStage &stage, const MachineModel &model) {
  if (llvm::is_contained(stage.sizes, 0))
    return {};
  return ReduceCost(stage, model).run();
}

} // namespace systole
