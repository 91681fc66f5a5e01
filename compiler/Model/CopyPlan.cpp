// Chooses how copies within VMEM become vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/CopyPlan.h"

#include "compiler/Model/CopyTiles.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <cmath>
#include <numeric>

using llvm::SmallVectorImpl;

namespace systole {

// With more vectors than this per group of sublanes they do not stay in registers.
constexpr int64_t maxMoves = 24;
// Cycles for which a gather occupies the cross-lane unit, on v2 and v3.
constexpr double gatherInterval = 4;

LanePlace LanePlace::moved(int64_t step, int64_t count) const {
  LanePlace place = *this;
  (step % kLanes == 0 ? place.row : place.lane) +=
      step % kLanes == 0 ? step / kLanes * count : step * count;
  return place;
}

static LaneRange laneRange(const LanePlace &place) {
  if (!place.known)
    return {0, kLanes - 1};
  int64_t first = place.lane - floorDiv(place.lane, kLanes) * kLanes;
  return {first, first};
}

/// Cycles per group of sublanes, and once for invariant lanes; infinite if there are too many
/// tiles.
struct GroupCost {
  double group = HUGE_VAL, setup = 0;
};
static GroupCost groupCost(const LaneShape &shape, LaneRange src, LaneRange dst) {
  int64_t lastLane = dst.max + shape.dstShift * (shape.sublanes - 1) +
                     (shape.count == 1 ? 0 : shape.dstStep * (shape.count - 1));
  if (lastLane / kLanes >= maxMoves)
    return {};
  double loads = 0, permutes = 0, selects = 0;
  llvm::SmallSet<int64_t, 8> loaded;
  auto moves = tilesTouched(shape, src, dst);
  for (const TileMove &move : moves) {
    int64_t parts = move.lastSrc - move.firstSrc + 1;
    if (parts > maxMoves)
      return {};
    for (int64_t tile = move.firstSrc; tile <= move.lastSrc; ++tile)
      loaded.insert(tile);
    permutes += parts;
    selects += parts - 1;
  }
  if (permutes > 2 * maxMoves)
    return {};
  loads = loaded.size();
  bool rotates = shape.isRotation();
  bool inPlace = rotates && src.min == dst.min && src.max == dst.max && src.min == src.max;
  double gathers = permutes * (shape.isBroadcast() ? 1 : gatherInterval);
  double xlu = inPlace ? 0 : rotates ? loads : gathers;
  double stores = moves.size();
  return {std::max({loads, stores, xlu, selects / 2}) + 0.25 * (loads + stores + permutes),
          (rotates ? 3 : 8) * permutes / 2};
}

static double partCost(const LanePart &part) {
  const MoveBox &box = part.box;
  const CopyDim *lane = part.lane < 0 ? nullptr : &box.dims[part.lane];
  const CopyDim *sublane = part.sublane < 0 ? nullptr : &box.dims[part.sublane];
  LaneRange src = laneRange(box.src), dst = laneRange(box.dst);
  double rowGroups = 1;
  int64_t laneGroups = 1; // groups with different lanes
  bool srcChanges = false, dstChanges = false;
  for (auto [number, dim] : llvm::enumerate(box.dims)) {
    if (int(number) == part.lane)
      continue;
    bool isSublane = int(number) == part.sublane;
    int64_t count = isSublane ? ceilDiv(dim.size, kSublanes) : dim.size;
    int64_t step = isSublane ? kSublanes : 1;
    bool src = dim.src * step % kLanes != 0, dst = dim.dst * step % kLanes != 0;
    if (count == 1 || (!src && !dst)) {
      rowGroups *= count;
      continue;
    }
    laneGroups *= count;
    srcChanges |= src;
    dstChanges |= dst;
  }
  bool known = box.src.known && box.dst.known;
  if (!known || laneGroups > maxUnrolledPositions) {
    src = srcChanges ? LaneRange{0, kLanes - 1} : src;
    dst = dstChanges ? LaneRange{0, kLanes - 1} : dst;
  }
  LaneShape shape(lane, sublane, sublane ? std::min(sublane->size, kSublanes) : kSublanes);
  GroupCost cost = groupCost(shape, src, dst);
  return laneGroups * (rowGroups * cost.group + cost.setup);
}

/// Chooses the sublane dimension with the lowest cost.
static void chooseSublane(LanePart &part) {
  LanePart best = part;
  best.cost = partCost(best);
  for (size_t i = 0; i < part.box.dims.size(); ++i) {
    if (int(i) == part.lane)
      continue;
    LanePart other = part;
    other.sublane = i;
    other.cost = partCost(other);
    if (other.cost < best.cost)
      best = other;
  }
  part = best;
}

static void addPart(LanePlan &plan, MoveBox box, int lane) {
  // A dimension of one iteration does not move.
  for (int i = box.dims.size() - 1; i >= 0; --i)
    if (box.dims[i].size == 1) {
      box.dims.erase(box.dims.begin() + i);
      lane = i == lane ? -1 : lane - (i < lane);
    }
  LanePart part{std::move(box), lane};
  chooseSublane(part);
  plan.cost += part.cost;
  plan.parts.push_back(std::move(part));
}

/// Splits dimension `lane` into `head` iterations, runs of `chunk`, and a remainder.
static LanePlan cut(const MoveBox &box, int lane, int64_t head, int64_t chunk) {
  LanePlan plan;
  CopyDim dim = box.dims[lane];
  auto from = [&](int64_t first, int64_t count) {
    MoveBox part = box;
    part.src = box.src.moved(dim.src, first);
    part.dst = box.dst.moved(dim.dst, first);
    part.dims[lane].size = count;
    return part;
  };
  if (head > 0)
    addPart(plan, from(0, head), lane);
  int64_t chunks = (dim.size - head) / chunk, done = head + chunks * chunk;
  if (chunks > 0) {
    MoveBox main = from(head, chunk);
    main.dims.push_back({chunks, dim.src * chunk, dim.dst * chunk});
    addPart(plan, std::move(main), lane);
  }
  if (done < dim.size)
    addPart(plan, from(done, dim.size - done), lane);
  return plan;
}

static LanePlan planAsItIs(const MoveBox &box) {
  LanePlan best;
  addPart(best, box, -1);
  auto consider = [&](LanePlan plan) {
    if (plan.cost < best.cost)
      best = std::move(plan);
  };
  for (auto [number, dim] : llvm::enumerate(box.dims)) {
    int lane = number;
    if (dim.dst == 0 || dim.dst >= kLanes)
      continue;
    LanePlan whole;
    addPart(whole, box, lane);
    consider(std::move(whole));
    int64_t first = laneRange(box.dst).min;
    int64_t head = box.dst.known && dim.dst == 1 && first ? kLanes - first : 0;
    for (int64_t chunk : {kLanes, 4 * kLanes}) {
      if (dim.size > chunk)
        consider(cut(box, lane, 0, chunk));
      if (head && dim.size > chunk + head)
        consider(cut(box, lane, head, chunk));
    }
  }
  return best;
}

/// The number of iterations after which dimension `dim` returns to the same lanes.
static int64_t periodOf(const CopyDim &dim) {
  return kLanes / std::gcd(std::gcd(dim.src, dim.dst), kLanes);
}

/// Splits a dimension that periodically returns to the same lanes into one over whole rows and one
/// within a period. False if there is none.
static bool cutPeriod(const MoveBox &box, SmallVectorImpl<MoveBox> &boxes) {
  for (auto [number, dim] : llvm::enumerate(box.dims)) {
    int64_t period = periodOf(dim), times = dim.size / period, rest = dim.size % period;
    bool isRun = dim.src == 1 && dim.dst == 1; // split elsewhere
    if (period == 1 || times < 2 || isRun)
      continue;
    MoveBox main = box;
    main.dims[number].size = period;
    main.dims.push_back({times, dim.src * period, dim.dst * period});
    boxes.push_back(std::move(main));
    if (rest) {
      MoveBox last = box;
      last.dims[number].size = rest;
      last.src = box.src.moved(dim.src, times * period);
      last.dst = box.dst.moved(dim.dst, times * period);
      boxes.push_back(std::move(last));
    }
    return true;
  }
  return false;
}

LanePlan planLanes(const MoveBox &box) {
  LanePlan best = planAsItIs(box);
  llvm::SmallVector<MoveBox, 2> boxes;
  if (!cutPeriod(box, boxes))
    return best;
  LanePlan plan;
  for (const MoveBox &part : boxes) {
    LanePlan planned = planLanes(part);
    plan.cost += planned.cost;
    llvm::append_range(plan.parts, planned.parts);
  }
  return plan.cost < best.cost ? plan : best;
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

static CopyDim dimAt(const MoveBox &box, int number, CopyDim single) {
  return number < 0 ? single : box.dims[number];
}
CopyDim srcLaneOf(const MoveBox &box, int number) { return dimAt(box, number, {1, 1, 0}); }
CopyDim dstLaneOf(const MoveBox &box, int number) { return dimAt(box, number, {1, 0, 1}); }

int sharedLoop(llvm::ArrayRef<CopyDim> loops, int64_t packing) {
  // The fewest passes for all iterations.
  auto passes = [&](const CopyDim &dim) {
    return double(ceilDiv(dim.size, packing)) / double(dim.size);
  };
  int best = -1;
  for (auto [number, dim] : llvm::enumerate(loops))
    if (packing > 1 && dim.size > 1 && (best < 0 || passes(dim) < passes(loops[best])))
      best = int(number);
  return best;
}

static double transposeCost(const MoveBox &box, int srcLane, int dstLane, int64_t packing) {
  auto tilesOf = [](const LanePlace &place, int64_t count) {
    return ceilDiv((place.known ? place.lane % kLanes : kLanes - 1) + count, kLanes);
  };
  double outer = 1;
  llvm::SmallVector<CopyDim> loops;
  for (auto [number, dim] : llvm::enumerate(box.dims))
    if (int(number) != srcLane && int(number) != dstLane) {
      outer *= dim.size;
      if (dim.isRow())
        loops.push_back(dim);
    }
  CopyDim x = srcLaneOf(box, srcLane), y = dstLaneOf(box, dstLane);
  double columns = tilesOf(box.src, x.size), rows = tilesOf(box.dst, y.size), shared = 1;
  loops.append({{int64_t(columns), 0, 0}, {int64_t(rows), 0, 0}});
  bool known = box.src.known && box.dst.known;
  if (int loop = known ? sharedLoop(loops, packing) : -1; loop >= 0)
    shared = double(loops[loop].size) / double(ceilDiv(loops[loop].size, packing));
  // A push occupies the unit for eight cycles; the result has a latency.
  double pushes = columns * std::min<double>(rows * 16, ceilDiv(y.size, kSublanes) + 1);
  double pops = rows * std::min<double>(columns * 16, ceilDiv(x.size, kSublanes) + 1);
  return outer * (std::max(8 * pushes / shared, pops) + 0.25 * (pushes + pops));
}

std::optional<TransposePlan> planTranspose(const MoveBox &box, int64_t packing) {
  std::optional<TransposePlan> best;
  int count = box.dims.size();
  for (int x = -1; x < count; ++x) {
    CopyDim srcLane = srcLaneOf(box, x);
    if (std::abs(srcLane.src) != 1 || srcLane.dst % kLanes != 0)
      continue;
    for (int y = -1; y < count; ++y) {
      CopyDim dstLane = dstLaneOf(box, y);
      if (dstLane.dst != 1 || dstLane.src % kLanes != 0 || (x < 0 && y < 0))
        continue;
      double cost = transposeCost(box, x, y, packing);
      if (!best || cost < best->cost)
        best = TransposePlan{x, y, cost};
    }
  }
  return best;
}

} // namespace systole
