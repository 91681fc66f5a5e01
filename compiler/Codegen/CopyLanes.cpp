// Emits copies that keep lanes in lanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CopyLanes.h"
#include "compiler/Model/CopyTiles.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

/// The contribution of one tile of source lanes to one tile of destination lanes.
struct Part {
  int64_t tile;
  Sum row;    // of the tile, relative to the row of lane 0
  Value mask; // of the load: rows that the copy reads
  Value take; // cells from this part or a later one; null for the first
};

struct Move {
  int64_t tile;
  Value index; // source lane of each cell; null if lanes are moved otherwise
  Value mask;  // of the store; null for all
  SmallVector<Part, 2> parts;
};

/// The moves of every group of eight sublanes, for given lanes.
struct Moves {
  SmallVector<Move, 4> moves;
  // If both are null, lanes do not move, or `index` selects their sources.
  Value rotation, broadcast;
};

class LaneEmitter {
public:
  LaneEmitter(const CopyWork &work, const LaneShape &shape) : work(work), e(work.e), shape(shape) {}

  Moves prepare(const Sum &srcLane, const Sum &dstLane);
  void emitGroup(const Moves &moves, const Sum &srcRow, const Sum &dstRow);
  int64_t memoryOps(const Moves &moves) const;

private:
  Value perSublane(int64_t step);
  Value addTo(Value vector, const Sum &sum);
  Value usedSublanes() { return sublanesBetween(e, {}, {Value(), shape.sublanes}); }
  Move prepareMove(const TileMove &touched, const Sum &srcLane, const Sum &dstLane);
  Part preparePart(int64_t tile, const Sum &srcLane);

  const CopyWork &work;
  Emitter &e;
  const LaneShape &shape;
};

} // namespace

static LaneRange rangeOf(const Sum &lane) {
  if (lane.isStatic())
    return {lane.constant, lane.constant};
  return {0, kLanes - 1};
}

/// step * sublane; null for zeros.
Value LaneEmitter::perSublane(int64_t step) {
  if (step == 0)
    return nullptr;
  Value id = e.sublaneId();
  return step == 1 ? id : vectorOp<core::VMulOp>(e, id, e.constant(step));
}

Value LaneEmitter::addTo(Value vector, const Sum &sum) {
  if (sum.isStatic() && sum.constant == 0)
    return vector;
  return vectorOp<core::VAddOp>(e, vector, toValue(e, sum));
}

/// x / divisor if divisible; otherwise unspecified. If x is not negative, it and the divisor are
/// below 2^16.
static Value quotient(Emitter &e, Value x, int64_t divisor) {
  if (divisor == 1)
    return x;
  if (llvm::isPowerOf2_64(divisor))
    return vectorOp<core::VShrOp>(e, x, e.constant(llvm::Log2_64(divisor)));
  uint64_t reciprocal = (uint64_t(1) << 32) / divisor + 1;
  return vectorOp<core::VMulHiOp>(e, x, e.constant(static_cast<int32_t>(reciprocal)));
}

Part LaneEmitter::preparePart(int64_t tile, const Sum &srcLane) {
  LaneRange always = tilesAlwaysRead(shape, rangeOf(srcLane)), reach = srcReach(shape);
  Part part{tile, {Value(), tile}, usedSublanes(), nullptr};
  if (tile >= always.min && tile <= always.max)
    return part;
  if (shape.srcShift == 0) {
    // Whether a tile is read must not depend on the sublane: any other tile may be read instead of
    // one that is not needed.
    auto tileOf = [&](int64_t lane) {
      Sum row = split(e, {{}, plus(e, srcLane, {Value(), lane})}).row;
      return toValue(e, row);
    };
    Value row = e.constant(tile);
    if (tile > always.max)
      row = e.min(row, tileOf(reach.max));
    if (tile < always.min)
      row = e.max(row, tileOf(reach.min));
    part.row = toSum(e, row);
    return part;
  }
  Value shift = perSublane(shape.srcShift);
  auto bound = [&](int64_t lane) {
    return toValue(e, plus(e, {Value(), lane}, times(e, srcLane, -1)));
  };
  if (tile > always.max)
    part.mask =
        e.maskAnd(part.mask, maskOp<core::VLeOp>(e, bound(kLanes * tile - reach.max), shift));
  if (tile < always.min)
    part.mask =
        e.maskAnd(part.mask, maskOp<core::VLtOp>(e, shift, bound(kLanes * (tile + 1) - reach.min)));
  return part;
}

Move LaneEmitter::prepareMove(const TileMove &touched, const Sum &srcLane, const Sum &dstLane) {
  Move move{touched.dst, nullptr, usedSublanes(), {}};
  Sum offset = plus(e, {Value(), kLanes * touched.dst}, times(e, dstLane, -1));
  int64_t dstStep = shape.count == 1 ? 1 : shape.dstStep;
  bool rotates = shape.isRotation();

  // The iteration of each cell, and a mask of cells that have one.
  Value iteration;
  if (!rotates || shape.dstShift != 0 || dstStep != 1) {
    Value position = e.laneId();
    if (Value shift = perSublane(shape.dstShift))
      position = vectorOp<core::VSubOp>(e, position, shift);
    position = addTo(position, offset);
    iteration = quotient(e, position, dstStep);
    Value last = e.constant(dstStep * (shape.count - 1));
    move.mask = e.maskAnd(move.mask, maskOp<core::VLeuOp>(e, position, last));
    if (dstStep != 1) {
      Value back = vectorOp<core::VMulOp>(e, iteration, e.constant(dstStep));
      move.mask = e.maskAnd(move.mask, maskOp<core::VEqOp>(e, back, position));
    }
  } else {
    Sum lower = times(e, offset, -1);
    move.mask =
        e.maskAnd(move.mask, lanesBetween(e, lower, plus(e, lower, {Value(), shape.count})));
  }

  if (!rotates && !shape.isBroadcast()) {
    Value lane = iteration;
    Value shift = perSublane(shape.srcShift);
    if (shape.count == 1 || shape.srcStep == 0)
      lane = nullptr;
    else if (shape.srcStep != 1)
      lane = vectorOp<core::VMulOp>(e, lane, e.constant(shape.srcStep));
    if (lane && shift)
      lane = vectorOp<core::VAddOp>(e, lane, shift);
    move.index = addTo(lane ? lane : shift, srcLane);
  }

  for (int64_t tile = touched.firstSrc; tile <= touched.lastSrc; ++tile) {
    Part part = preparePart(tile, srcLane);
    if (tile != touched.firstSrc && rotates) {
      // Source lane = destination lane + 128 (its tile) + srcLane - dstLane.
      Sum lower = plus(e, {Value(), kLanes * (tile - touched.dst)},
                       plus(e, dstLane, times(e, srcLane, -1)));
      part.take = lanesBetween(e, lower, {Value(), kLanes});
      if (!part.take)
        part.take = e.allMask();
    } else if (tile != touched.firstSrc) {
      part.take = maskOp<core::VLeOp>(e, e.constant(kLanes * tile), move.index);
    }
    move.parts.push_back(part);
  }
  return move;
}

Moves LaneEmitter::prepare(const Sum &srcLane, const Sum &dstLane) {
  Moves result;
  for (const TileMove &touched : tilesTouched(shape, rangeOf(srcLane), rangeOf(dstLane)))
    result.moves.push_back(prepareMove(touched, srcLane, dstLane));
  if (shape.isBroadcast() && !shape.isRotation()) {
    result.broadcast = toValue(e, srcLane);
  } else if (shape.isRotation()) {
    Sum amount = plus(e, dstLane, times(e, srcLane, -1));
    if (!amount.isStatic())
      result.rotation = scalarOp<core::SAndOp>(e, toValue(e, amount), e.constant(kLanes - 1));
    else if (amount.constant % kLanes != 0)
      result.rotation = e.constant((amount.constant % kLanes + kLanes) % kLanes);
  }
  return result;
}

int64_t LaneEmitter::memoryOps(const Moves &moves) const {
  int64_t count = 0;
  for (const Move &move : moves.moves)
    count += 1 + move.parts.size();
  return count;
}

void LaneEmitter::emitGroup(const Moves &moves, const Sum &srcRow, const Sum &dstRow) {
  std::map<int64_t, Value> loaded; // by tile; already rotated
  for (const Move &move : moves.moves) {
    Value value;
    for (const Part &part : move.parts) {
      Value &tile = loaded[part.tile];
      if (!tile) {
        tile = loadBits(e, work.source, plus(e, srcRow, part.row), shape.srcRows, part.mask);
        if (moves.rotation)
          tile = e.xlu<core::XluRotateOp>(tile, moves.rotation);
        if (moves.broadcast)
          tile = e.xlu<core::XluBroadcastOp>(tile, moves.broadcast);
      }
      Value cells = move.index ? e.xlu<core::XluGatherOp>(tile, move.index) : tile;
      value = value ? vectorOp<core::VSelectOp>(e, part.take, cells, value) : cells;
    }
    storeBits(e, value, work.destination, plus(e, dstRow, {Value(), move.tile}), shape.dstRows,
              move.mask);
  }
}

/// Emits groups of `shape` at all positions to which `dims` advance src and dst.
static void emitGroups(const CopyWork &work, const LaneShape &shape, ArrayRef<CopyDim> dims,
                       const Position &src, const Position &dst) {
  SmallVector<CopyDim> rowDims, laneDims;
  for (const CopyDim &dim : dims)
    (dim.isRow() ? rowDims : laneDims).push_back(dim);
  LaneEmitter emitter(work, shape);
  forEachPosition(work.e, laneDims, src, dst,
                  [&](const Position &srcPosition, const Position &dstPosition) {
                    Position from = split(work.e, srcPosition), to = split(work.e, dstPosition);
                    Moves moves = emitter.prepare(from.lane, to.lane);
                    // A loop of few iterations takes longer to fill and drain than to run.
                    constexpr int64_t memoryOpsInLoop = 8;
                    const int64_t memoryOpsAtOnce = work.e.machine.budget.mostCopyOps();
                    int64_t memoryOps = emitter.memoryOps(moves), longest = 1;
                    for (const CopyDim &dim : rowDims)
                      longest = std::max(longest, dim.size);
                    bool isShort = longest * memoryOps <= memoryOpsAtOnce;
                    forEachRow(work.e, rowDims, from.row, to.row,
                               isShort ? longest : memoryOpsInLoop / memoryOps,
                               [&](const Sum &srcRow, const Sum &dstRow) {
                                 emitter.emitGroup(moves, srcRow, dstRow);
                               });
                  });
}

void codegen::emitLanes(const CopyWork &work, const CopyBox &whole, const LanePart &part) {
  const MoveBox &box = part.box;
  auto placeOf = [&](const Position &start, const LanePlace &place) -> Position {
    Sum lanes{Value(), place.lane - start.lane.constant};
    return {plus(work.e, start.row, {Value(), place.row}), plus(work.e, start.lane, lanes)};
  };
  Position src = placeOf(whole.src, box.src), dst = placeOf(whole.dst, box.dst);
  const CopyDim *lane = part.lane < 0 ? nullptr : &box.dims[part.lane];
  SmallVector<CopyDim> outer;
  for (auto [number, dim] : llvm::enumerate(box.dims))
    if (int(number) != part.lane && int(number) != part.sublane)
      outer.push_back(dim);
  if (part.sublane < 0)
    return emitGroups(work, LaneShape(lane, nullptr, kSublanes), outer, src, dst);

  CopyDim along = box.dims[part.sublane];
  int64_t groups = along.size / kSublanes, rest = along.size % kSublanes;
  if (groups > 0) {
    SmallVector<CopyDim> dims = outer;
    if (groups > 1)
      dims.push_back({groups, along.src * kSublanes, along.dst * kSublanes});
    emitGroups(work, LaneShape(lane, &along, kSublanes), dims, src, dst);
  }
  if (rest > 0) {
    Sum done{Value(), groups * kSublanes};
    // All sublanes may read and write the same row.
    LaneShape shape =
        rest == 1 ? LaneShape(lane, nullptr, kSublanes) : LaneShape(lane, &along, rest);
    emitGroups(work, shape, outer, moved(work.e, src, along.src, done),
               moved(work.e, dst, along.dst, done));
  }
}
