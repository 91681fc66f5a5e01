// Emits the steps of products.
//
// A step is straight-line code: its latches, the swap, its pushes, then its pops, in the
// order that an MXU requires. The scheduler overlaps the latches of a step with the pushes
// of the previous one, which the separate latch registers allow as soon as the swap is
// done.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/DotStep.h"

using namespace mlir;
using namespace systole;
using namespace systole::codegen;

/// Clamps `a` to [0, limit].
static Sum clamped(Emitter &e, const Sum &a, int64_t limit) {
  if (a.isStatic())
    return {Value(), std::clamp<int64_t>(a.constant, 0, limit)};
  return toSum(e, e.max(e.min(toValue(e, a), e.constant(limit)), e.constant(0)));
}

/// The row groups of a step whose chunk of the last dimension is `chunk`; none for a group that is
/// statically known to be behind the last row.
SmallVector<DotStepEmitter::Group> DotStepEmitter::rowGroups(const DotPhase &phase,
                                                             const Sum &chunk) {
  const DotDim &last = shape.rows.back();
  int64_t chunkRows = phase.box.back(), chunks = ceilDiv(last.size, chunkRows);
  // Rows that every chunk has, and those of this one.
  int64_t always = last.size - (chunks - 1) * chunkRows;
  Sum left = plus(e, {Value(), last.size}, times(e, chunk, -chunkRows));
  SmallVector<Group> groups;
  for (int64_t first = 0; first < chunkRows; first += kSublanes) {
    Sum rows{Value(), std::min(kSublanes, chunkRows - first)};
    if (left.isStatic() || first + kSublanes > always)
      rows = clamped(e, plus(e, left, {Value(), -first}), rows.constant);
    if (rows.isStatic() && rows.constant == 0)
      break;
    groups.push_back({first * last.lhs, first * last.out, rows});
  }
  // Repeated for the other dimensions, the outermost slowest.
  for (int64_t dim = static_cast<int64_t>(shape.rows.size()) - 2; dim >= 0; --dim) {
    size_t count = groups.size();
    for (int64_t index = 1; index < phase.box[dim]; ++index)
      for (size_t number = 0; number < count; ++number) {
        Group group = groups[number];
        group.lhs += index * shape.rows[dim].lhs;
        group.out += index * shape.rows[dim].out;
        groups.push_back(group);
      }
  }
  return groups;
}

/// Sums the terms sequentially: there are few, and latches wait for the result.
static Sum total(Emitter &e, SmallVector<Sum, 8> terms) {
  while (terms.size() > 1) {
    SmallVector<Sum, 8> sums;
    for (size_t i = 0; i < terms.size(); i += 2)
      sums.push_back(i + 1 < terms.size() ? plus(e, terms[i], terms[i + 1]) : terms[i]);
    terms = std::move(sums);
  }
  return terms.front();
}

/// Assigns work to all MXUs of a step. Their addresses differ by constants, so they share
/// scalars.
SmallVector<DotStepEmitter::MxuWork, 4> DotStepEmitter::assignWork(const DotPhase &phase,
                                                                   const DotPosition &at) {
  auto blockOf = [&](const Sum &index, DotSplit split, int64_t first) {
    return plus(e, times(e, index, phase.perStep(split)), {Value(), first});
  };
  Sum nBlock = blockOf(at.column, DotSplit::columns, phase.nFirst);
  Sum kBlock = blockOf(at.block, DotSplit::depth, phase.kFirst);
  // The first row for an MXU: its tile, moved by each dimension.
  auto rowOf = [&](int64_t DotDim::*pitch, int64_t kPitch, int64_t nPitch) {
    SmallVector<Sum, 8> terms = {times(e, kBlock, kPitch), times(e, nBlock, nPitch)};
    auto add = [&](ArrayRef<DotDim> dims, ArrayRef<Sum> indices, ArrayRef<int64_t> steps) {
      for (auto [number, dim, index] : llvm::enumerate(dims, indices))
        if (int64_t rows = dim.*pitch * (steps.empty() ? 1 : steps[number]))
          terms.push_back(times(e, index, rows));
    };
    add(shape.rows, at.rows, phase.box);
    add(shape.depth, at.depth, {});
    for (auto [dim, range, index] : llvm::zip_equal(shape.batch, phase.batch, at.batch))
      if (int64_t rows = dim.*pitch)
        terms.push_back(plus(e, times(e, index, rows * range.step), {Value(), rows * range.first}));
    return total(e, terms);
  };
  Sum lhsRow = plus(e, rowOf(&DotDim::lhs, 1, 0), {Value(), shape.lhsBase});
  Sum rhsRow = plus(e, rowOf(&DotDim::rhs, shape.kStep, shape.nStep), {Value(), shape.rhsBase});
  Sum outRow = plus(e, rowOf(&DotDim::out, 0, 1), {Value(), shape.outBase});
  SmallVector<Group> groups = rowGroups(phase, at.rows.back());

  // The extent of a dimension in `tiles` blocks from a block on, if the block is static.
  auto extentOf = [&](int64_t total, const Sum &block, int64_t tiles) {
    int64_t most = tiles * kLanes;
    return block.isStatic() ? std::min(total - block.constant * kLanes, most) : most;
  };
  const DotTiles &tiles = phase.tiles;
  bool transposed = shape.rhsTransposed;
  SmallVector<MxuWork, 4> mxus;
  for (int64_t number = 0; number < phase.usedMxus; ++number) {
    auto own = [&](DotSplit split) { return phase.split == split ? number : 0; };
    int64_t n = own(DotSplit::columns) * tiles.columns, k = own(DotSplit::depth) * tiles.depth;
    int64_t product = own(DotSplit::batch);
    DotDim apart = product ? shape.batch[phase.batchDim] : DotDim{};
    Sum columns = plus(e, nBlock, {Value(), n}), depth = plus(e, kBlock, {Value(), k});
    MxuWork mxu;
    mxu.kCount = extentOf(shape.k, depth, tiles.depth);
    mxu.nCount = Sum{Value(), extentOf(shape.n, columns, tiles.columns)};
    mxu.rhsCount = transposed ? mxu.nCount.constant : mxu.kCount;
    if (!columns.isStatic() && !transposed && shape.n % kLanes != 0)
      mxu.nCount = clamped(e, plus(e, {Value(), shape.n}, times(e, columns, -kLanes)),
                           tiles.columns * kLanes);
    mxu.lhsRow = plus(e, lhsRow, {Value(), k + product * apart.lhs});
    mxu.outRow = plus(e, outRow, {Value(), n + product * apart.out});
    mxu.rhsRow =
        plus(e, rhsRow, {Value(), n * shape.nStep + k * shape.kStep + product * apart.rhs});
    size_t most = phase.groupsPerMxu();
    size_t first = std::min(own(DotSplit::rows) * most, groups.size());
    mxu.groups.assign(groups.begin() + first,
                      groups.begin() + std::min(first + most, groups.size()));
    mxus.push_back(std::move(mxu));
  }
  return mxus;
}

/// The eight rows of rhs from which group `group` of a tile of weights is loaded, and how many of
/// them exist; none behind the last one.
DotStepEmitter::Weights DotStepEmitter::weightsOf(const MxuWork &mxu, const Tile &tile,
                                                  int64_t group) const {
  const DotRun &run = shape.runs.back();
  if (shape.runs.size() == 1) {
    int64_t before = (shape.rhsTransposed ? tile.column : tile.depth) * kLanes + group * kSublanes;
    int64_t row = tile.depth * shape.kStep + tile.column * shape.nStep;
    return {row + group * kSublanes * run.pitch,
            std::clamp<int64_t>(mxu.rhsCount - before, 0, kSublanes)};
  }
  int64_t groups = ceilDiv(run.size, kSublanes), index = group / groups;
  int64_t first = group % groups * kSublanes, row = first * run.pitch;
  for (const DotRun &outer : llvm::reverse(ArrayRef<DotRun>(shape.runs).drop_back())) {
    row += index % outer.size * outer.pitch;
    index /= outer.size;
  }
  return {row, index ? 0 : std::min(kSublanes, run.size - first)};
}

/// Loads eight rows of weights (columns, if transposed): zeros beyond the matrix.
Value DotStepEmitter::load(const MxuWork &mxu, const Weights &weights, const Sum &more,
                           DotPass pass) {
  Value mask = sublanesBetween(e, {}, {Value(), weights.count});
  Sum row = plus(e, plus(e, mxu.rhsRow, {Value(), weights.row}), more);
  Value elements = e.load(buffers.rhs, toValue(e, row), e.constant(shape.runs.back().pitch), mask);
  return isSplit ? elements : parts.rhsPart(e, elements, pass);
}

/// The number of group `group` of a tile for latches: an MXU counts the groups along the rows that
/// are latched first, those of rhs.
Value DotStepEmitter::latchNumber(const Tile &tile, const Sum &group) {
  int64_t along = tile.depth, across = tile.column;
  if (shape.rhsTransposed)
    std::swap(along, across);
  const int64_t first = (across * e.machine.mxu.tiles + along) * MxuShape::kGroupsPerTile;
  return toValue(e, plus(e, group, {Value(), first}));
}

void DotStepEmitter::latchGroup(const DotPhase &phase, ArrayRef<MxuWork> mxus, const Tile &tile,
                                const Sum &group, DotPass pass) {
  Value shared;
  for (auto [number, mxu] : llvm::enumerate(mxus)) {
    Weights weights = weightsOf(mxu, tile, group.constant);
    if (weights.count == 0)
      continue;
    const int64_t pitch = kSublanes * shape.runs.back().pitch;
    Value value = shared ? shared : load(mxu, weights, times(e, {group.value, 0}, pitch), pass);
    if (phase.split == DotSplit::rows)
      shared = value;
    if (shape.rhsTransposed)
      core::MxuLatchTOp::create(e.b, e.loc, value, latchNumber(tile, group), uint32_t(number));
    else
      core::MxuLatchOp::create(e.b, e.loc, value, latchNumber(tile, group), uint32_t(number));
  }
}

/// The first groups of a tile that are latched by a loop, which takes less code than it takes time.
int64_t DotStepEmitter::latchedByLoop(ArrayRef<MxuWork> mxus, const Tile &tile) const {
  if (!e.machine.budget.loopsOverLatches() || shape.runs.size() != 1)
    return 0;
  int64_t groups = 0;
  auto isWhole = [&](const MxuWork &mxu) {
    return weightsOf(mxu, tile, groups).count == kSublanes;
  };
  while (groups < MxuShape::kGroupsPerTile && llvm::all_of(mxus, isWhole))
    ++groups;
  return groups;
}

void DotStepEmitter::latchTile(const DotPhase &phase, ArrayRef<MxuWork> mxus, const Tile &tile,
                               DotPass pass) {
  const int64_t looped = latchedByLoop(mxus, tile);
  e.loop(0, looped, 1, [&](Value group) { latchGroup(phase, mxus, tile, {group, 0}, pass); });
  for (int64_t group = looped; group < MxuShape::kGroupsPerTile; ++group)
    latchGroup(phase, mxus, tile, {Value(), group}, pass);
}

void DotStepEmitter::latch(const DotPhase &phase, ArrayRef<MxuWork> mxus, DotPass pass) {
  for (int64_t column = 0; column < phase.tiles.columns; ++column)
    for (int64_t depth = 0; depth < phase.tiles.depth; ++depth)
      latchTile(phase, mxus, {depth, column}, pass);
  for (auto [number, mxu] : llvm::enumerate(mxus))
    core::MxuSwapOp::create(e.b, e.loc, e.constant(mxu.kCount), toValue(e, mxu.nCount),
                            uint32_t(number));
}

void DotStepEmitter::push(const DotPhase &phase, ArrayRef<MxuWork> mxus, DotPass pass,
                          size_t group) {
  SmallVector<std::pair<Sum, Value>, 4> loaded; // MXUs may share rows
  auto load = [&](const Sum &row, const Sum &rows) {
    auto *known = llvm::find_if(loaded, [&](const auto &entry) {
      return entry.first.value == row.value && entry.first.constant == row.constant;
    });
    if (known != loaded.end())
      return known->second;
    Value elements = e.load(buffers.lhs, toValue(e, row), e.constant(shape.rows.back().lhs),
                            cellsOf(shape.lhsLanes, rows));
    loaded.push_back({row, isSplit ? elements : parts.lhsPart(e, elements, pass)});
    return loaded.back().second;
  };
  const DotTiles &tiles = phase.tiles;
  for (auto [number, mxu] : llvm::enumerate(mxus)) {
    if (group >= mxu.groups.size())
      continue;
    const Sum &rows = mxu.groups[group].rows;
    Sum row = plus(e, mxu.lhsRow, {Value(), mxu.groups[group].lhs});
    Value first = load(row, rows);
    if (tiles.count() == 1) {
      core::MxuPushOp::create(e.b, e.loc, first, toValue(e, rows), uint32_t(number));
      continue;
    }
    Value second = tiles.depth == 1 ? first : load(plus(e, row, {Value(), 1}), rows);
    core::MxuPushWideOp::create(e.b, e.loc, first, second, toValue(e, rows), uint32_t(tiles.depth),
                                uint32_t(tiles.columns), uint32_t(number));
  }
}

Value DotStepEmitter::cellsOf(const DotShape::LaneRange &lanes, const Sum &rows) {
  return e.maskAnd(sublanesBetween(e, {}, rows),
                   lanesBetween(e, {Value(), lanes.begin}, {Value(), lanes.end}));
}

Value DotStepEmitter::plusSummand(Value sum, Value summand) {
  if (!sum)
    return summand;
  return parts.isInteger() ? vectorOp<core::VAddOp>(e, sum, summand)
                           : vectorOp<core::VFAddOp>(e, sum, summand);
}

/// In the last loop over k every step stores both sums and rounded results: the last store remains.
DotStores DotStepEmitter::stores(const DotPhase &phase, const DotPosition &at) const {
  bool ends = phase.kFirst + phase.kCount * phase.perStep(DotSplit::depth) == shape.kBlocks();
  if (!buffers.rounded || !ends)
    return {true, false};
  bool last = at.block.isStatic() && at.block.constant == phase.kCount - 1;
  bool isStatic = at.block.isStatic();
  for (auto [dim, index] : llvm::zip_equal(shape.depth, at.depth)) {
    isStatic &= index.isStatic();
    last &= index.isStatic() && index.constant == dim.size - 1;
  }
  return isStatic ? DotStores{!last, last} : DotStores{true, true};
}

void DotStepEmitter::pop(const DotPhase &phase, ArrayRef<MxuWork> mxus, DotPass pass, DotSums sums,
                         Value isFirst, DotStores stored, size_t group) {
  int64_t stride = shape.rows.back().out;
  bool joins = phase.split == DotSplit::depth;
  SmallVector<Value, 2> totals(phase.tiles.columns); // of the MXUs that share the output
  for (auto [number, mxu] : llvm::enumerate(mxus)) {
    if (group >= mxu.groups.size())
      continue;
    // Recomputed here: a mask that is live until the results arrive would occupy a register.
    Value mask = cellsOf(shape.outLanes, mxu.groups[group].rows);
    for (auto [column, total] : llvm::enumerate(totals)) {
      int64_t offset = mxu.groups[group].out + static_cast<int64_t>(column);
      Sum row = plus(e, mxu.outRow, {Value(), offset});
      bool joinsOthers = joins && total;
      Value before = joinsOthers ? total : Value();
      if (!before && sums != DotSums::replace)
        before = e.load(buffers.out, toValue(e, row), e.constant(stride), mask);
      for (int64_t depth = 0; depth < phase.tiles.depth; ++depth) {
        Value popped = vectorOp<core::MxuPopOp>(e, uint32_t(number));
        Value summand = parts.summand(e, popped, pass);
        total = plusSummand(before, summand);
        if (isFirst && !joinsOthers && depth == 0)
          total = vectorOp<core::VSelectOp>(e, isFirst, summand, total);
        before = total;
      }
      if (joins && number + 1 < mxus.size())
        continue;
      if (stored.sums)
        e.store(total, buffers.out, toValue(e, row), e.constant(stride), mask);
      if (stored.rounded)
        e.store(total, *buffers.rounded, toValue(e, row), e.constant(stride), mask);
    }
  }
}

void DotStepEmitter::emit(const DotPhase &phase, DotPass pass, bool startsNew,
                          const DotPosition &at, const DotPosition &results) {
  // The position of the step within the sum.
  auto progress = [&](const DotPosition &position) {
    SmallVector<Sum, 8> terms = {position.block};
    llvm::append_range(terms, position.depth);
    return terms;
  };
  DotSums sums = DotSums::add;
  if (startsNew && phase.kFirst == 0) {
    SmallVector<Sum, 8> terms = progress(at);
    bool isStatic = llvm::all_of(terms, [](const Sum &term) { return term.isStatic(); });
    bool isFirst = llvm::all_of(terms, [](const Sum &term) { return term.constant == 0; });
    sums = !isStatic ? DotSums::start : isFirst ? DotSums::replace : DotSums::add;
  }
  SmallVector<MxuWork, 4> mxus = assignWork(phase, at);
  latch(phase, mxus, pass);
  // A result is popped about when it is ready, so that a scheduler short of registers can keep this
  // order.
  constexpr int64_t margin = 3;
  const MxuShape &times = e.machine.mxu;
  const int64_t groupsInFlight = std::min(ceilDiv(times.pushLatency, times.pushInterval) + margin,
                                          times.pushesInFlight(phase.tiles.count()));
  SmallVector<MxuWork, 4> outputs = assignWork(phase, results);
  Value isFirst;
  if (sums == DotSums::start)
    isFirst = maskOp<core::VEqOp>(e, toValue(e, total(e, progress(results))), e.constant(0));
  DotStores stored = stores(phase, results);
  int64_t groups = phase.groupsPerMxu();
  for (int64_t group = 0; group < groups + groupsInFlight; ++group) {
    if (group < groups)
      push(phase, mxus, pass, group);
    if (group >= groupsInFlight)
      pop(phase, outputs, pass, sums, isFirst, stored, group - groupsInFlight);
  }
}
