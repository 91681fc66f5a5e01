// The cost of kernel.reduce: the loops that codegen makes of it (compiler/Codegen/Reduce.cpp and
// ReduceRows.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Planning/Cost/Stage.h"

using namespace mlir;

namespace systole {

namespace {

/// Steps over rows that are emitted without a loop.
constexpr int64_t kMostUnrolled = 16;
/// Scalars that split a number of a row into the indices of a further dimension: a quotient by
/// multiplication, what is left, and addresses of both.
constexpr double kIndexScalars = 7;
/// Instructions of a mask of one lane.
constexpr int kMaskInstructions = 2;

class ReduceCost {
public:
  ReduceCost(const ReduceStage &stage, const MachineModel &model) : stage(stage), model(model) {
    plan();
    chooseSublanes();
  }

  StageCost run() const {
    // The initial values: a row and its broadcast.
    Work start = model.load();
    start += model.crossLane(MachineModel::CrossLane::rotate);
    StageCost total{model.once(start * stage.outputs.size()), start};
    if (sublanes != Sublanes::kept) {
      total += outputs(product(kept));
      return total;
    }
    int64_t extent = dims[sublaneDim].extent, others = product(kept) / extent;
    if (extent / kSublanes)
      total += outputs(others * (extent / kSublanes));
    if (extent % kSublanes)
      total += outputs(others);
    return total;
  }

private:
  enum class Sublanes { kept, rows, single };

  void plan() {
    ArrayRef<int64_t> sizes = stage.sizes;
    SmallVector<bool> reduced(sizes.size(), false), pinned(sizes.size(), false);
    for (int64_t dim : stage.dims)
      reduced[dim] = true;
    for (int64_t dim : stage.pinned)
      pinned[dim] = true;
    lanes = sizes.empty() ? 1 : sizes.back();
    reducesLanes = !sizes.empty() && reduced.back();
    for (const StageInput &input : stage.inputs)
      accesses.push_back(accessOf(input, sizes));
    StageInput output;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (!reduced[d]) {
        output.indices.push_back({static_cast<int64_t>(d)});
        output.block.shape.push_back(sizes[d]);
      }
    accesses.append(stage.outputs.size(), accessOf(output, sizes));
    auto rowsOf = llvm::map_to_vector(
        accesses, [](const RowAccess &access) -> const RowAccess * { return &access; });
    dims = loopDims(sizes, rowsOf, pinned, reduced);
    int64_t last = static_cast<int64_t>(sizes.size()) - 1;
    for (auto [number, dim] : llvm::enumerate(dims)) {
      if (!dim.reduced)
        kept.push_back(number);
      else if (dim.parts.back() == last)
        groups = dim.extent;
      else
        rows.push_back(number);
    }
    bool isOneRow = llvm::all_of(sizes.drop_back(), [](int64_t size) { return size == 1; });
    if (reducesLanes && isOneRow && lanes >= kSublanes * kLanes) {
      groupsAreRows = true;
      groupRows = groups;
      groups = 1;
    }
  }

  int64_t product(ArrayRef<size_t> numbers) const {
    int64_t result = 1;
    for (size_t number : numbers)
      result *= dims[number].extent;
    return result;
  }
  int64_t rowCount() const { return groupsAreRows ? groupRows : product(rows); }

  void chooseSublanes() {
    // The prices of compiler/Codegen/Reduce.cpp, which the estimate has to follow.
    constexpr int64_t treePrice = 8, storePrice = 2, lanePrice = 6;
    int64_t results = product(kept), count = rowCount(), depth = count * groups;
    int64_t tail = storePrice + (reducesLanes ? lanePrice : 0);
    int64_t best = INT64_MAX;
    for (size_t dim : kept) {
      int64_t extent = dims[dim].extent;
      int64_t vectors = results / extent * llvm::divideCeil(extent, kSublanes);
      int64_t price = vectors * (depth + std::min(count, kSublanes) - 1 + tail);
      if (price <= best) {
        best = price;
        sublaneDim = dim;
      }
    }
    bool rowsFit = rows.size() <= 1 || dims[rows.back()].extent % kSublanes == 0;
    int64_t vectors = llvm::divideCeil(count, kSublanes) * groups;
    int64_t price = results * (vectors + treePrice + tail);
    if (!groupsAreRows && (!rowsFit || price >= best))
      sublanes = kept.empty() ? Sublanes::single : Sublanes::kept;
    else
      sublanes = Sublanes::rows;
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
    if (rows.size() > 1)
      work.scalar += kIndexScalars * double(rows.size() - 1);
    work += workOf(stage.body, model);
    work.chain += chain;
    return work;
  }

  /// What follows the accumulation, once for each vector of results.
  Work tail() const {
    Work work, combine = workOf(stage.combiner, model);
    if (reducesLanes && stage.hasUnit) {
      work += model.crossLane(MachineModel::CrossLane::reduce);
      if (lanes < kLanes)
        work += model.arithmetic({1}, {1});
    } else if (reducesLanes) {
      for (int64_t distance = kLanes / 2; distance > 0; distance /= 2)
        if (distance < std::min(lanes, kLanes)) {
          work += model.crossLane(MachineModel::CrossLane::rotate) * stage.outputs.size();
          work += combine;
        }
      work += model.crossLane(MachineModel::CrossLane::rotate) * stage.outputs.size();
    }
    work += combine; // the initial value
    if (reducesLanes)
      work += model.arithmetic({kMaskInstructions}, {1});
    for (Type element : stage.outputs)
      work += storeOf(element, model);
    work.scalar += 2;
    return work;
  }

  /// `count` vectors of results.
  StageCost outputs(int64_t count) const {
    int64_t depth = rowCount();
    StageCost each = sublanes == Sublanes::rows ? vectors(depth) : slots(depth);
    StageCost cost;
    cost.work = each.work * count;
    if (straight)
      cost.cycles = model.pipeline(each.work, count);
    else
      cost.cycles = count * each.cycles;
    return cost;
  }

  /// Results in eight accumulators, each a vector.
  StageCost slots(int64_t depth) const {
    int64_t used = std::min(depth, kSublanes), evaluations = depth * groups;
    Work combine = workOf(stage.combiner, model);
    Work tree = combine * (used - 1);
    tree.chain = combine.chain * llvm::Log2_64_Ceil(std::max<int64_t>(used, 1));
    tree += tail();
    straight = evaluations <= kMostUnrolled && !stage.body.trips;
    if (straight) {
      Work all = step() * evaluations;
      // The accumulators' chains overlap.
      all.chain = evaluation().chain + combine.chain * (double(evaluations) / used);
      all += tree;
      return {model.once(all), all};
    }
    StageCost cost;
    int64_t whole = depth / kSublanes, rest = depth % kSublanes;
    auto loop = [&](double copies, double trips) {
      Work work = step() * copies;
      work.scalar += 1;
      cost.cycles += iterations(work, trips, combine.chain, copies);
      cost.work += work * trips;
    };
    // The first values, then the groups of the first rows, then eight rows at a time.
    Work first = evaluation() * used;
    cost.cycles += model.once(first) + model.once(tree);
    cost.work += first;
    cost.work += tree;
    if (groups > 1)
      loop(used, groups - 1);
    if (whole > 1 && groups > 1)
      for (int64_t chunk = 1; chunk < whole; ++chunk) {
        if (chunk == 1)
          loop(kSublanes, groups);
        else {
          Work work = step() * kSublanes;
          cost.cycles += iterations(work, groups, combine.chain, kSublanes);
          cost.work += work * groups;
        }
      }
    else if (whole > 1)
      loop(kSublanes, whole - 1);
    if (whole > 0 && rest)
      loop(rest, groups);
    return cost;
  }

  /// Results in one accumulator, of which the sublanes are combined in the end.
  StageCost vectors(int64_t depth) const {
    Work combine = workOf(stage.combiner, model);
    double count = double(llvm::divideCeil(depth, kSublanes)) * groups;
    Work tree;
    for (int64_t distance = kSublanes / 2; distance > 0; distance /= 2)
      if (distance < std::min(depth, kSublanes)) {
        tree += model.arithmetic({int(stage.outputs.size())}, {1});
        tree += combine;
      }
    tree += tail();
    straight = count <= kMostUnrolled && !stage.body.trips;
    Work work = step();
    if (straight) {
      Work all = work * count;
      all.chain = evaluation().chain + combine.chain * count;
      all += tree;
      return {model.once(all), all};
    }
    work.scalar += 1;
    StageCost cost{iterations(work, count - 1, combine.chain, 1) + model.once(tree) +
                       model.once(evaluation()),
                   work * count};
    cost.work += tree;
    return cost;
  }

  double iterations(const Work &work, double trips, double recurrence, double copies) const {
    if (stage.body.trips == 0)
      return model.pipeline(work, trips, recurrence);
    Work loop = model.arithmetic(stage.body.loop, stage.body.loopChain);
    return trips * (model.once(work) + copies * stage.body.trips * model.once(loop));
  }

  const ReduceStage &stage;
  const MachineModel &model;
  SmallVector<RowAccess> accesses;
  SmallVector<LoopDim> dims;
  SmallVector<size_t> kept, rows;
  int64_t groups = 1, groupRows = 1, lanes = 1;
  bool reducesLanes = false, groupsAreRows = false;
  Sublanes sublanes = Sublanes::kept;
  size_t sublaneDim = 0;
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
