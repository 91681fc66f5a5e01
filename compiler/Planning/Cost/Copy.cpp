// The cost of copies within VMEM: the vectors and transpositions that codegen makes of them
// (compiler/Codegen/CopyLanes.cpp and Transpose.cpp).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyPlan.h"
#include "compiler/Model/CopyTiles.h"
#include "compiler/Planning/Cost/Stage.h"

#include "llvm/ADT/SmallSet.h"

#include <cmath>

using namespace mlir;

namespace systole {

namespace {

/// Instructions of a mask of lanes, and those that compute the source lane of each cell.
constexpr int kMaskInstructions = 3, kIndexInstructions = 5;
/// Instructions that split a position into row and lane, on both sides.
constexpr double kPositionScalars = 6;
/// As in compiler/Codegen/CopyLanes.cpp: accesses of a loop's iteration, and those of a short copy
/// that has no loop.
constexpr double kMemoryOpsInLoop = 8, kMemoryOpsAtOnce = 96;

class LaneCost {
public:
  LaneCost(const LanePart &part, const MachineModel &model) : box(part.box), model(model) {
    const CopyDim *lane = part.lane < 0 ? nullptr : &box.dims[part.lane];
    for (auto [number, dim] : llvm::enumerate(box.dims))
      if (int(number) != part.lane && int(number) != part.sublane)
        outer.push_back(dim);
    if (part.sublane < 0) {
      add(LaneShape(lane, nullptr, kSublanes), outer);
      return;
    }
    CopyDim along = box.dims[part.sublane];
    int64_t groups = along.size / kSublanes, rest = along.size % kSublanes;
    if (groups > 0) {
      SmallVector<CopyDim> dims(outer);
      if (groups > 1)
        dims.push_back({groups, along.src * kSublanes, along.dst * kSublanes});
      add(LaneShape(lane, &along, kSublanes), dims);
    }
    if (rest > 0)
      add(rest == 1 ? LaneShape(lane, nullptr, kSublanes) : LaneShape(lane, &along, rest), outer);
  }

  StageCost total{0, {}, false};

private:
  LaneRange rangeOf(const LanePlace &place, bool changes) const {
    if (!place.known || changes)
      return {0, kLanes - 1};
    int64_t first = place.lane - floorDiv(place.lane, kLanes) * kLanes;
    return {first, first};
  }

  /// Groups of sublanes of one shape, at all positions of `dims`.
  void add(const LaneShape &shape, ArrayRef<CopyDim> dims) {
    double positions = 1, innermost = 1, rows = 1, longest = 1;
    bool srcChanges = false, dstChanges = false;
    for (const CopyDim &dim : dims) {
      if (dim.isRow()) {
        rows *= dim.size;
        longest = std::max<double>(longest, dim.size);
      } else {
        positions *= dim.size;
        innermost = double(dim.size);
        srcChanges |= dim.src % kLanes != 0;
        dstChanges |= dim.dst % kLanes != 0;
      }
    }
    bool isKnown = box.src.known && box.dst.known && positions <= maxUnrolledPositions;
    LaneRange src = rangeOf(box.src, srcChanges && !isKnown);
    LaneRange dst = rangeOf(box.dst, dstChanges && !isKnown);
    Work group;
    llvm::SmallSet<int64_t, 8> loaded;
    int64_t parts = 0, selects = 0, moves = 0;
    for (const TileMove &move : tilesTouched(shape, src, dst)) {
      ++moves;
      parts += move.lastSrc - move.firstSrc + 1;
      selects += move.lastSrc - move.firstSrc;
      for (int64_t tile = move.firstSrc; tile <= move.lastSrc; ++tile)
        loaded.insert(tile);
    }
    bool rotates = shape.isRotation(), isBroadcast = shape.isBroadcast() && !rotates;
    bool inPlace = rotates && src.min == dst.min && src.min == src.max && dst.min == dst.max;
    group += model.load() * double(loaded.size());
    if (!inPlace && (rotates || isBroadcast))
      group += model.crossLane(MachineModel::CrossLane::rotate) * double(loaded.size());
    else if (!inPlace)
      group += model.crossLane(MachineModel::CrossLane::gather) * double(parts);
    if (selects)
      group += model.arithmetic({int(selects)}, {int(selects / std::max<int64_t>(1, moves))});
    group += model.store() * double(moves);
    group.chain += moves - 1;
    group.scalar = 2;

    // Once for each position of lanes: masks and indices.
    bool masks = !inPlace || shape.count % kLanes != 0;
    int setup = int(moves) *
                ((masks ? kMaskInstructions : 0) + (inPlace || rotates ? 0 : kIndexInstructions));
    Work around = model.arithmetic({setup}, {setup ? kMaskInstructions : 0});
    double memoryOps = double(loaded.size() + moves);
    bool isShort = longest * memoryOps <= kMemoryOpsAtOnce;
    double copies = isShort ? longest : std::max(1.0, std::floor(kMemoryOpsInLoop / memoryOps));
    double loops = rows / longest, trips = std::ceil(longest / copies);
    Work iteration = group * copies;
    iteration.scalar = isShort ? 0 : 4;
    double each = isShort && loops > 1 ? model.pipeline(iteration, loops)
                                       : loops * model.pipeline(iteration, trips);
    if ((isKnown || positions == 1) && isShort && loops == 1) {
      // All positions are straight-line code.
      Work all = (iteration * positions);
      all += around;
      total += {model.once(all), all, /*hasLoops=*/false};
      return;
    }
    Work all = group * (rows * positions);
    if (positions > 1 && isShort && loops == 1) {
      // The loop over the innermost positions holds no other, and is pipelined.
      iteration += around;
      iteration.scalar += kPositionScalars;
      total += {positions / innermost * model.pipeline(iteration, innermost), all};
      return;
    }
    total += {positions * (each + (setup ? model.once(around) : 0)), all};
  }

  const MoveBox &box;
  const MachineModel &model;
  SmallVector<CopyDim> outer;
};

/// Blocks of 128 x 128 that the cross-lane unit transposes.
StageCost transposition(const MoveBox &box, const TransposePlan &plan, int64_t packing,
                        const MachineModel &model) {
  CopyDim x = srcLaneOf(box, plan.srcLane), y = dstLaneOf(box, plan.dstLane);
  double outer = 1; // positions with code or a loop of their own
  SmallVector<CopyDim> loops;
  for (auto [number, dim] : llvm::enumerate(box.dims))
    if (int(number) != plan.srcLane && int(number) != plan.dstLane) {
      if (dim.isRow())
        loops.push_back(dim);
      else
        outer *= double(dim.size);
    }
  bool known = box.src.known && box.dst.known;
  // Groups of eight lanes from lane 0 to the last one in use, in each tile.
  auto groupsOf = [](const LanePlace &place, int64_t count) {
    SmallVector<int64_t> groups;
    int64_t lane = place.known ? place.lane % kLanes : kLanes - 1;
    for (int64_t end = lane + count; end > 0; end -= kLanes)
      groups.push_back(place.known ? llvm::divideCeil(std::min(end, kLanes), kSublanes)
                                   : kLanes / kSublanes);
    return groups;
  };
  StageCost total;
  // Tiles that are full share a loop, others have code of their own.
  auto passes = [&](double count, int64_t together, int64_t pushes, int64_t pops) {
    int others = static_cast<int>(together) - 1;
    Work block = model.load() * double(pushes * together);
    Work unit = model.transpose(pushes, pops);
    block.chain = model.load().chain + unit.chain + 1;
    unit.chain = 0;
    block += unit;
    block.vector += double(2 * others * pushes + others * pops);
    block.store += double(pops * together);
    block.scalar += 2;
    total += {outer * model.pipeline(block, count), block * (outer * count)};
  };
  auto blocks = [&](double columnTiles, double rowTiles, int64_t pushes, int64_t pops) {
    SmallVector<CopyDim> all(loops);
    all.append({{static_cast<int64_t>(columnTiles), 0, 0}, {static_cast<int64_t>(rowTiles), 0, 0}});
    double count = 1;
    for (const CopyDim &dim : all)
      count *= double(dim.size);
    int shared = known ? sharedLoop(all, packing) : -1;
    if (shared < 0)
      return passes(count, 1, pushes, pops);
    int64_t size = all[shared].size, rest = size % packing;
    const int64_t whole = size / packing;
    if (whole > 0)
      passes(count / double(size) * double(whole), packing, pushes, pops);
    if (rest)
      passes(count / double(size), rest, pushes, pops);
  };
  SmallVector<int64_t> columns = groupsOf(box.src, x.size), rows = groupsOf(box.dst, y.size);
  auto isFull = [](int64_t groups) { return groups == kLanes / kSublanes; };
  double fullColumns = llvm::count_if(columns, isFull), fullRows = llvm::count_if(rows, isFull);
  if (fullColumns * fullRows > 0)
    blocks(fullColumns, fullRows, kLanes / kSublanes, kLanes / kSublanes);
  for (int64_t column : columns)
    if (!isFull(column) && fullRows > 0)
      blocks(1, fullRows, kLanes / kSublanes, column);
  for (int64_t row : rows)
    if (!isFull(row) && fullColumns > 0)
      blocks(fullColumns, 1, row, kLanes / kSublanes);
  for (int64_t column : columns)
    for (int64_t row : rows)
      if (!isFull(column) && !isFull(row))
        blocks(1, 1, row, column);
  return total;
}

/// As codegen: the padding behind the destination's last lanes may have any value.
void widenOverPadding(MoveBox &box, const CopyStage &stage) {
  int64_t widened = llvm::alignTo(stage.dstLanes, kLanes);
  bool atStart = stage.lanesKnown && box.src.lane == 0 && box.dst.lane == 0;
  if (!atStart || stage.dstLanes == widened ||
      static_cast<int64_t>(llvm::alignTo(stage.srcLanes, kLanes)) < widened)
    return;
  CopyDim *along = nullptr;
  for (CopyDim &dim : box.dims) {
    if (dim.src == 1 && dim.dst == 1 && dim.size == stage.dstLanes && !along)
      along = &dim;
    else if (!dim.isRow())
      return;
  }
  if (along)
    along->size = widened;
  else if (stage.dstLanes == 1)
    box.dims.push_back({widened, 1, 1});
}

} // namespace

StageCost costOf(const CopyStage &stage, const MachineModel &model) {
  MoveBox box;
  for (const CopyLoop &loop : stage.loops) {
    if (loop.size == 0)
      return {};
    if (loop.size > 1)
      box.dims.push_back({loop.size, loop.src, loop.dst});
  }
  box.src = {0, stage.srcLane, stage.lanesKnown};
  box.dst = {0, stage.dstLane, stage.lanesKnown};
  // As codegen, steps are forwards through the destination.
  for (CopyDim &dim : box.dims)
    if (dim.dst < 0) {
      box.src = box.src.moved(dim.src, dim.size - 1);
      box.dst = box.dst.moved(dim.dst, dim.size - 1);
      dim = {dim.size, -dim.src, -dim.dst};
    }
  widenOverPadding(box, stage);
  mergeDims(box.dims);
  LanePlan along = planLanes(box);
  std::optional<TransposePlan> across = planTranspose(box, stage.packing);
  if (across && across->cost < along.cost)
    return transposition(box, *across, stage.packing, model);
  StageCost total;
  total.hasLoops = false;
  for (const LanePart &part : along.parts)
    total += LaneCost(part, model).total;
  return total;
}

} // namespace systole
