// Transposes blocks of 128 x 128 with the cross-lane unit.
//
// A block is one tile of source lanes and one tile of destination lanes. The row that is pushed
// l-th is the one whose elements belong to lane l, so no rotation is needed, whatever lane the
// destination starts at; likewise the result for source lane l is stored to the row of that lane's
// elements. Blocks of narrow elements pass through the unit together, each in a part of every cell.
// See docs/decisions/reshapes-and-transpositions.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Transpose.h"

#include <cstdlib>

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

namespace {

/// The lanes [lower, upper) of a tile; bounds beyond the tile are clamped.
struct LaneSpan {
  Sum lower, upper;
  /// Groups of eight lanes from lane 0 up to the last lane of the span.
  int64_t groups() const {
    return upper.isStatic() ? ceilDiv(std::min(upper.constant, kLanes), kSublanes)
                            : kLanes / kSublanes;
  }
  /// Bounds relative to group `group`.
  LaneSpan from(Emitter &e, int64_t group) const {
    Sum back{Value(), -group * kSublanes};
    return {plus(e, lower, back), plus(e, upper, back)};
  }
};

/// Consecutive tiles in which the same lanes are used.
struct TileRun {
  int64_t first, count;
  LaneSpan span;
};

class BlockEmitter {
public:
  BlockEmitter(const CopyWork &work, int64_t srcStep, int64_t dstStep)
      : work(work), e(work.e), srcStep(srcStep), dstStep(dstStep) {}

  void emit(const Sum &srcRow, const Sum &dstRow, const LaneSpan &src, const LaneSpan &dst);

  /// Blocks that pass through the unit together, and how many rows they are apart.
  struct {
    int64_t count = 1, srcRows = 0, dstRows = 0;
  } together;

private:
  void push(const Sum &srcRow, const LaneSpan &dst, int64_t group, int64_t last, int64_t pops);
  void pop(const Sum &dstRow, const LaneSpan &src, const LaneSpan &dst, int64_t group);
  /// The first bit of block `number` in a cell.
  Value firstBit(int64_t number) { return e.constant(number * work.source.type.getStorageBits()); }

  const CopyWork &work;
  Emitter &e;
  int64_t srcStep, dstStep; // row distance of consecutive pushes (stores)
};

} // namespace

/// Whether none of the eight lanes from which `span` counts is used.
static bool isEmpty(const LaneSpan &span) {
  return (span.lower.isStatic() && span.lower.constant >= kSublanes) ||
         (span.upper.isStatic() && span.upper.constant <= 0);
}

void BlockEmitter::push(const Sum &srcRow, const LaneSpan &dst, int64_t group, int64_t last,
                        int64_t pops) {
  LaneSpan span = dst.from(e, group);
  Value rows;
  if (isEmpty(span)) {
    rows = e.splatBits(0);
  } else {
    Sum row = plus(e, srcRow, times(e, span.lower, -srcStep));
    Value mask = sublanesBetween(e, span.lower, span.upper);
    for (int64_t number = 0; number < together.count; ++number) {
      Sum at = plus(e, row, {Value(), number * together.srcRows});
      Value bits = loadBits(e, work.source, at, srcStep, mask);
      if (number > 0)
        bits = vectorOp<core::VOrOp>(e, rows, vectorOp<core::VShlOp>(e, bits, firstBit(number)));
      rows = bits;
    }
  }
  if (group == last)
    core::XluTransposeEndOp::create(e.b, e.loc, rows, static_cast<uint32_t>(pops));
  else
    core::XluTransposeOp::create(e.b, e.loc, rows);
}

void BlockEmitter::pop(const Sum &dstRow, const LaneSpan &src, const LaneSpan &dst, int64_t group) {
  Value rows = vectorOp<core::XluPopOp>(e);
  LaneSpan span = src.from(e, group);
  if (isEmpty(span))
    return;
  Value mask =
      e.maskAnd(sublanesBetween(e, span.lower, span.upper), lanesBetween(e, dst.lower, dst.upper));
  Sum row = plus(e, dstRow, times(e, span.lower, -dstStep));
  for (int64_t number = 0; number < together.count; ++number) {
    Value bits = number ? vectorOp<core::VShrOp>(e, rows, firstBit(number)) : rows;
    Sum at = plus(e, row, {Value(), number * together.dstRows});
    storeBits(e, bits, work.destination, at, dstStep, mask);
  }
}

/// Transposes one block, or the first one of several: `srcRow` is the row of the first element
/// along the destination's lanes in the tile of source lanes, `dstRow` its counterpart.
void BlockEmitter::emit(const Sum &srcRow, const Sum &dstRow, const LaneSpan &src,
                        const LaneSpan &dst) {
  int64_t pushes = dst.groups(), pops = src.groups();
  for (int64_t group = 0; group < pushes; ++group)
    push(srcRow, dst, group, pushes - 1, pops);
  for (int64_t group = 0; group < pops; ++group)
    pop(dstRow, src, dst, group);
}

/// The tiles of lanes [lane, lane + count), in runs with the same used lanes.
static SmallVector<TileRun> runsOf(int64_t lane, int64_t count) {
  SmallVector<TileRun> runs;
  int64_t tiles = ceilDiv(lane + count, kLanes);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t lower = lane - kLanes * tile, upper = lower + count;
    bool full = lower <= 0 && upper >= kLanes;
    if (full && !runs.empty() && runs.back().span.lower.constant <= 0 &&
        runs.back().span.upper.constant >= kLanes)
      ++runs.back().count;
    else
      runs.push_back({tile, 1, {{Value(), lower}, {Value(), upper}}});
  }
  return runs;
}

/// Dimension `number` of `box`, or `single`, of one iteration, if it is -1.
/// The dimensions of one transposition; the one along the source's lanes runs forwards.
struct Exchange {
  CopyDim x, y;               // along the source's and the destination's lanes
  SmallVector<CopyDim> outer; // over whole rows
};

/// Emits blocks of the same spans.
static void emitLoops(const CopyWork &work, BlockEmitter blocks, SmallVector<CopyDim> loops,
                      const Sum &srcRow, const Sum &dstRow, const LaneSpan &xs,
                      const LaneSpan &ys) {
  auto emit = [&](const Sum &src, const Sum &dst) {
    forEachRow(work.e, loops, src, dst, 1,
               [&](const Sum &s, const Sum &d) { blocks.emit(s, d, xs, ys); });
  };
  int64_t packing = 32 / work.source.type.getStorageBits();
  int shared = sharedLoop(loops, packing);
  if (shared < 0)
    return emit(srcRow, dstRow);
  CopyDim dim = loops[shared];
  int64_t src = dim.src / kLanes, dst = dim.dst / kLanes, rest = dim.size % packing;
  auto emitTogether = [&](int64_t first, int64_t count, int64_t passes) {
    blocks.together = {count, src, dst};
    loops[shared] = {passes, dim.src * count, dim.dst * count};
    emit(plus(work.e, srcRow, {Value(), first * src}),
         plus(work.e, dstRow, {Value(), first * dst}));
  };
  if (dim.size >= packing)
    emitTogether(0, packing, dim.size / packing);
  if (rest)
    emitTogether(dim.size - rest, rest, 1);
}

/// Emits blocks whose lanes are static.
static void emitKnown(const CopyWork &work, const Exchange &dims, const Position &src,
                      const Position &dst) {
  BlockEmitter blocks(work, dims.y.src / kLanes, dims.x.dst / kLanes);
  for (const TileRun &xs : runsOf(src.lane.constant, dims.x.size))
    for (const TileRun &ys : runsOf(dst.lane.constant, dims.y.size)) {
      SmallVector<CopyDim> loops(dims.outer);
      if (xs.count > 1)
        loops.push_back({xs.count, kLanes, dims.x.dst * kLanes});
      if (ys.count > 1)
        loops.push_back({ys.count, dims.y.src * kLanes, kLanes});
      Sum srcRow = plus(work.e, src.row, {Value(), xs.first});
      Sum dstRow = plus(work.e, dst.row, {Value(), ys.first});
      emitLoops(work, blocks, loops, srcRow, dstRow, xs.span, ys.span);
    }
}

/// Emits blocks whose lanes are scalars of the machine, with masks of the used
/// lanes.
static void emitUnknown(const CopyWork &work, const Exchange &dims, const Position &src,
                        const Position &dst) {
  Emitter &e = work.e;
  BlockEmitter blocks(work, dims.y.src / kLanes, dims.x.dst / kLanes);
  using TileBody = llvm::function_ref<void(const Sum &tile, const LaneSpan &span)>;
  auto forTiles = [&](const Sum &lane, int64_t count, TileBody body) {
    Sum end = plus(e, lane, {Value(), count + kLanes - 1});
    Value tiles = toValue(e, split(e, {{}, end}).row);
    e.loop(
        e.constant(0), tiles, 1, ValueRange(),
        [&](Value index, ValueRange) {
          Sum tile = toSum(e, index), lower = plus(e, lane, times(e, tile, -kLanes));
          body(tile, {lower, plus(e, lower, {Value(), count})});
          return SmallVector<Value>();
        },
        /*independent=*/true);
  };
  forTiles(src.lane, dims.x.size, [&](const Sum &xTile, const LaneSpan &xs) {
    forTiles(dst.lane, dims.y.size, [&](const Sum &yTile, const LaneSpan &ys) {
      forEachRow(e, dims.outer, plus(e, src.row, xTile), plus(e, dst.row, yTile), 1,
                 [&](const Sum &s, const Sum &d) { blocks.emit(s, d, xs, ys); });
    });
  });
}

void codegen::emitTranspose(const CopyWork &work, const CopyBox &box, const TransposePlan &plan) {
  Emitter &e = work.e;
  MoveBox move{box.dims, {}, {}};
  Exchange dims{srcLaneOf(move, plan.srcLane), dstLaneOf(move, plan.dstLane), {}};
  Position src = box.src, dst = box.dst;
  if (dims.x.src < 0) {
    Sum last{Value(), dims.x.size - 1};
    src = moved(e, src, dims.x.src, last);
    dst = moved(e, dst, dims.x.dst, last);
    dims.x = {dims.x.size, -dims.x.src, -dims.x.dst};
  }
  SmallVector<CopyDim> laneDims;
  for (auto [number, dim] : llvm::enumerate(box.dims))
    if (int(number) != plan.srcLane && int(number) != plan.dstLane)
      (dim.isRow() ? dims.outer : laneDims).push_back(dim);
  forEachPosition(e, laneDims, src, dst,
                  [&](const Position &srcPosition, const Position &dstPosition) {
                    Position from = split(e, srcPosition), to = split(e, dstPosition);
                    bool known = from.lane.isStatic() && to.lane.isStatic();
                    (known ? emitKnown : emitUnknown)(work, dims, from, to);
                  });
}
