// Chooses how a copy that keeps lanes in lanes is split into vectors.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CopyLanes.h"
#include "compiler/Codegen/CopyTiles.h"

#include "llvm/ADT/SmallSet.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

// With more vectors than this per group of sublanes they do not stay in registers.
constexpr int64_t maxMoves = 24;
// Cycles for which a gather occupies the cross-lane unit, on v2 and v3.
constexpr double gatherInterval = 4;

static Range laneRange(const Sum &lane) {
  if (!lane.isStatic())
    return {0, kLanes - 1};
  int64_t first = lane.constant - floorDiv(lane.constant, kLanes) * kLanes;
  return {first, first};
}

/// Cycles per group of sublanes, and once for invariant lanes; infinite if there are too many
/// tiles.
struct GroupCost {
  double group = HUGE_VAL, setup = 0;
};
static GroupCost groupCost(const LaneShape &shape, Range src, Range dst) {
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
  const CopyBox &box = part.box;
  const CopyDim *lane = part.lane < 0 ? nullptr : &box.dims[part.lane];
  const CopyDim *sublane = part.sublane < 0 ? nullptr : &box.dims[part.sublane];
  Range src = laneRange(box.src.lane), dst = laneRange(box.dst.lane);
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
  bool known = box.src.lane.isStatic() && box.dst.lane.isStatic();
  if (!known || laneGroups > maxUnrolledPositions) {
    src = srcChanges ? Range{0, kLanes - 1} : src;
    dst = dstChanges ? Range{0, kLanes - 1} : dst;
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

static void addPart(LanePlan &plan, CopyBox box, int lane) {
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
static LanePlan cut(Emitter &e, const CopyBox &box, int lane, int64_t head, int64_t chunk) {
  LanePlan plan;
  CopyDim dim = box.dims[lane];
  auto from = [&](int64_t first, int64_t count) {
    CopyBox part = box;
    part.src = moved(e, box.src, dim.src, {Value(), first});
    part.dst = moved(e, box.dst, dim.dst, {Value(), first});
    part.dims[lane].size = count;
    return part;
  };
  if (head > 0)
    addPart(plan, from(0, head), lane);
  int64_t chunks = (dim.size - head) / chunk, done = head + chunks * chunk;
  if (chunks > 0) {
    CopyBox main = from(head, chunk);
    main.dims.push_back({chunks, dim.src * chunk, dim.dst * chunk});
    addPart(plan, std::move(main), lane);
  }
  if (done < dim.size)
    addPart(plan, from(done, dim.size - done), lane);
  return plan;
}

static LanePlan planAsItIs(Emitter &e, const CopyBox &box) {
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
    int64_t first = laneRange(box.dst.lane).min;
    int64_t head = box.dst.lane.isStatic() && dim.dst == 1 && first ? kLanes - first : 0;
    for (int64_t chunk : {kLanes, 4 * kLanes}) {
      if (dim.size > chunk)
        consider(cut(e, box, lane, 0, chunk));
      if (head && dim.size > chunk + head)
        consider(cut(e, box, lane, head, chunk));
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
static bool cutPeriod(Emitter &e, const CopyBox &box, SmallVectorImpl<CopyBox> &boxes) {
  for (auto [number, dim] : llvm::enumerate(box.dims)) {
    int64_t period = periodOf(dim), times = dim.size / period, rest = dim.size % period;
    bool isRun = dim.src == 1 && dim.dst == 1; // split elsewhere
    if (period == 1 || times < 2 || isRun)
      continue;
    CopyBox main = box;
    main.dims[number].size = period;
    main.dims.push_back({times, dim.src * period, dim.dst * period});
    boxes.push_back(std::move(main));
    if (rest) {
      CopyBox last = box;
      Sum done{Value(), times * period};
      last.dims[number].size = rest;
      last.src = moved(e, box.src, dim.src, done);
      last.dst = moved(e, box.dst, dim.dst, done);
      boxes.push_back(std::move(last));
    }
    return true;
  }
  return false;
}

LanePlan codegen::planLanes(Emitter &e, const CopyBox &box) {
  LanePlan best = planAsItIs(e, box);
  SmallVector<CopyBox, 2> boxes;
  if (!cutPeriod(e, box, boxes))
    return best;
  LanePlan plan;
  for (const CopyBox &part : boxes) {
    LanePlan planned = planLanes(e, part);
    plan.cost += planned.cost;
    llvm::append_range(plan.parts, planned.parts);
  }
  return plan.cost < best.cost ? plan : best;
}
