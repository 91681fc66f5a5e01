// Partitions a product into loops of equal steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotPhases.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using llvm::ArrayRef;
using llvm::divideCeil;
using llvm::SmallVector;

namespace systole {

int64_t DotPhase::groups() const {
  int64_t count = divideCeil(box.back(), kSublanes);
  for (int64_t size : ArrayRef<int64_t>(box).drop_back())
    count *= size;
  return count;
}

namespace {

/// Divides the rows of a product into steps.
class RowSteps {
public:
  /// Of steps in which each MXU has weights for `tiles` tiles.
  RowSteps(ArrayRef<DotDim> rows, const MxuShape &mxu, int64_t tiles)
      : rows(rows), pushInterval(mxu.pushInterval), latchCycles(mxu.latchCycles(tiles)),
        mostGroups(mxu.mostGroups) {}

  /// The box of rows of a step when rows are divided among `usedMxus` MXUs: a chunk of the last
  /// dimension, or all of it and as much of the others as takes the fewest cycles.
  SmallVector<int64_t, 3> boxFor(int64_t usedMxus) const;
  /// Cycles of all rows in these steps.
  int64_t cyclesFor(int64_t usedMxus) const { return cyclesOf(boxFor(usedMxus), usedMxus); }

private:
  /// Cycles of a step in which an MXU multiplies `groups` row groups: at least as many as latching
  /// its weights takes.
  int64_t cyclesOf(int64_t groups) const { return std::max(pushInterval * groups, latchCycles); }
  int64_t cyclesOf(ArrayRef<int64_t> box, int64_t usedMxus) const;
  int64_t groupsPerChunk(int64_t size, int64_t chunksPerStep) const;

  ArrayRef<DotDim> rows;
  int64_t pushInterval, latchCycles, mostGroups;
};

} // namespace

/// Row groups of an MXU in a chunk of one dimension: the number for which the steps over all rows
/// take the fewest cycles. Ties are resolved to chunks that divide the rows evenly.
int64_t RowSteps::groupsPerChunk(int64_t size, int64_t chunksPerStep) const {
  int64_t groups = divideCeil(size, kSublanes), best = 0;
  auto costOf = [&](int64_t chunk) {
    int64_t chunks = divideCeil(groups, chunk), steps = divideCeil(chunks, chunksPerStep);
    return std::pair(steps * cyclesOf(chunk), chunks * chunk - groups);
  };
  for (int64_t chunk = 1; chunk <= std::min(mostGroups, groups); ++chunk)
    if (!best || costOf(chunk) <= costOf(best))
      best = chunk;
  // A single step is divided evenly among the MXUs.
  int64_t steps = divideCeil(groups, best * chunksPerStep);
  return steps == 1 ? divideCeil(groups, chunksPerStep) : best;
}

/// Cycles of all rows in steps of `box`, divided among `usedMxus` MXUs.
int64_t RowSteps::cyclesOf(ArrayRef<int64_t> box, int64_t usedMxus) const {
  int64_t inner = rows.back().size;
  int64_t steps = divideCeil(inner, box.back()), groups = divideCeil(box.back(), kSublanes);
  for (auto [dim, size] : llvm::zip(rows.drop_back(), box)) {
    steps *= dim.size / size;
    groups *= size;
  }
  return steps * cyclesOf(divideCeil(groups, usedMxus));
}

SmallVector<int64_t, 3> RowSteps::boxFor(int64_t usedMxus) const {
  int64_t inner = rows.back().size;
  auto cycles = [&](ArrayRef<int64_t> box) { return cyclesOf(box, usedMxus); };
  SmallVector<int64_t, 3> best(rows.size(), 1);
  best.back() = kSublanes * usedMxus * groupsPerChunk(inner, usedMxus);

  SmallVector<int64_t, 3> box(rows.size(), 1);
  box.back() = inner;
  int64_t groups = divideCeil(inner, kSublanes);
  for (int64_t dim = static_cast<int64_t>(rows.size()) - 2; dim >= 0; --dim) {
    int64_t size = rows[dim].size;
    for (int64_t part = 2; part <= size && groups * part <= mostGroups * usedMxus; ++part) {
      if (size % part != 0)
        continue;
      box[dim] = part;
      if (cycles(box) < cycles(best))
        best = box;
    }
    if (groups * size > mostGroups * usedMxus)
      break;
    box[dim] = size;
    groups *= size;
  }
  return best;
}

namespace {

class PhaseBuilder {
public:
  PhaseBuilder(const DotShape &shape, const MxuShape &mxu)
      : shape(shape), mxu(mxu), mxus(std::max(mxu.count, 1)) {
    // Rows of rhs in several runs are those of one tile.
    if (shape.runs.size() > 1)
      this->mxu.tiles = 1;
  }
  SmallVector<DotPhase> build();

private:
  /// `kCount` steps of `depthTiles` blocks of k for each MXU.
  using AddSteps = llvm::function_ref<void(int64_t kCount, int64_t depthTiles)>;
  /// Steps for all blocks of k that have none yet, which each MXU sums itself.
  void addDepths(AddSteps addSteps);
  void addGroup(bool isGroup, int64_t first, int64_t count, int64_t ofMxu);
  void add(DotSplit split, int64_t usedMxus, int64_t kCount, int64_t depthTiles);
  /// Steps of the same columns and blocks of k: each MXU has rows, a product, or nothing.
  void addSingle(int64_t kCount, int64_t depthTiles);
  void addBatch(SmallVector<DotRange, 3> ranges, DotPhase phase);

  int64_t blocksLeft() const { return shape.kBlocks() - done; }
  RowSteps rowSteps(const DotTiles &used) const { return {shape.rows, mxu, used.count()}; }
  bool hasRows() const { return shape.rows.size() > 1 || shape.rows.back().size > kSublanes; }

  const DotShape &shape;
  MxuShape mxu;
  int64_t mxus;
  SmallVector<DotPhase> phases;
  int64_t nFirst = 0, nCount = 0, columnTiles = 1;
  int64_t done = 0; // blocks of k
};

} // namespace

void PhaseBuilder::add(DotSplit split, int64_t usedMxus, int64_t kCount, int64_t depthTiles) {
  if (kCount == 0)
    return;
  DotPhase phase{split, usedMxus, {depthTiles, columnTiles}, nFirst, nCount, done, kCount, {}, {}};
  done += kCount * phase.perStep(DotSplit::depth);
  assert(usedMxus > 0 && usedMxus <= mxus && "a step uses the MXUs that there are");
  assert(done <= shape.kBlocks() && "every block of k is multiplied once");
  SmallVector<DotRange, 3> batch;
  for (const DotDim &dim : shape.batch)
    batch.push_back({0, dim.size});
  if (split == DotSplit::batch)
    return addBatch(batch, phase);
  phase.batch = batch;
  phase.box = rowSteps(phase.tiles).boxFor(phase.perStep(DotSplit::rows));
  phases.push_back(std::move(phase));
}

/// As many products at a time as there are MXUs, along the last batch dimension that has them; the
/// remainder along the others.
void PhaseBuilder::addBatch(SmallVector<DotRange, 3> ranges, DotPhase phase) {
  size_t dim = ranges.size();
  while (dim > 0 && ranges[dim - 1].count < 2)
    --dim;
  phase.batch = ranges;
  if (dim == 0) {
    phase.split = hasRows() ? DotSplit::rows : DotSplit::columns;
    phase.usedMxus = hasRows() ? mxus : 1;
    phase.box = rowSteps(phase.tiles).boxFor(phase.perStep(DotSplit::rows));
    phases.push_back(std::move(phase));
    return;
  }
  DotRange &range = ranges[dim - 1];
  phase.usedMxus = std::min(mxus, range.count);
  phase.batchDim = dim - 1;
  phase.batch[dim - 1] = {range.first, range.count / phase.usedMxus, phase.usedMxus};
  phase.box = rowSteps(phase.tiles).boxFor(1);
  phases.push_back(phase);
  assert(phase.batch[dim - 1].count > 0 && "a range of products");
  int64_t rest = range.count % phase.usedMxus;
  if (rest == 0)
    return;
  range = {range.first + range.count - rest, rest};
  addBatch(ranges, phase);
}

void PhaseBuilder::addSingle(int64_t kCount, int64_t depthTiles) {
  int64_t products = 1;
  for (const DotDim &dim : shape.batch)
    products *= dim.size;
  if (mxus > 1 && products >= mxus) {
    const RowSteps steps = rowSteps({depthTiles, columnTiles});
    // With few rows each, MXUs wait for weights; less than a tenth does not pay for more loops.
    if (!hasRows() || 10 * steps.cyclesFor(1) < 9 * mxus * steps.cyclesFor(mxus))
      return add(DotSplit::batch, mxus, kCount, depthTiles);
  }
  if (mxus > 1 && hasRows())
    add(DotSplit::rows, mxus, kCount, depthTiles);
  else
    add(DotSplit::columns, 1, kCount, depthTiles);
}

/// Only full blocks of k can share a loop. All blocks of one index along the other depth dimensions
/// are added before those of the next: there, full blocks have one loop.
void PhaseBuilder::addDepths(AddSteps addSteps) {
  const bool isAlone = shape.depth.empty();
  const int64_t full = std::max<int64_t>(shape.k / kLanes - done, 0);
  const int64_t tiles = isAlone || full % mxu.tiles == 0 ? mxu.tiles : 1;
  addSteps(full / tiles, tiles);
  if (isAlone && mxu.tiles > 1 && blocksLeft() > 1)
    addSteps(1, blocksLeft());
  addSteps(blocksLeft(), 1);
}

/// Adds phases for `count` steps of column blocks from block `first` on.
void PhaseBuilder::addGroup(bool isGroup, int64_t first, int64_t count, int64_t ofMxu) {
  assert(first >= 0 && count > 0 && "a group of columns");
  nFirst = first;
  nCount = count;
  columnTiles = ofMxu;
  done = 0;
  if (isGroup)
    return addDepths([&](int64_t kCount, int64_t depthTiles) {
      add(DotSplit::columns, mxus, kCount, depthTiles);
    });
  // Columns for one MXU at a time: the others take rows or, only if that keeps the order of
  // summation, blocks of k.
  if (shape.depth.empty() && mxus > 1) {
    const int64_t full = shape.k / kLanes;
    add(DotSplit::depth, mxus, full / (mxus * mxu.tiles), mxu.tiles);
    if (const int64_t whole = blocksLeft() / mxu.tiles; whole > 1)
      add(DotSplit::depth, whole, 1, mxu.tiles);
  }
  addDepths([&](int64_t kCount, int64_t depthTiles) { addSingle(kCount, depthTiles); });
}

SmallVector<DotPhase> PhaseBuilder::build() {
  // With a transposed rhs, only full blocks of columns can share a loop.
  int64_t blocks = shape.nBlocks();
  int64_t alike = shape.rhsTransposed ? shape.n / kLanes : blocks, begin = 0;
  auto addColumns = [&](bool isGroup, int64_t count, int64_t tiles) {
    if (count <= 0)
      return;
    addGroup(isGroup, begin, count, tiles);
    begin += (isGroup ? count * mxus : count) * tiles;
  };
  for (int64_t tiles = mxu.tiles; tiles > 0; --tiles) {
    addColumns(true, (alike - begin) / (mxus * tiles), tiles);
    addColumns(true, (blocks - begin) / (mxus * tiles), tiles);
    addColumns(false, (alike - begin) / tiles, tiles);
    addColumns(false, (blocks - begin) / tiles, tiles);
  }
  assert(begin == blocks && "every block of columns has a phase");
  return std::move(phases);
}

SmallVector<DotPhase> phasesOf(const DotShape &shape, const MxuShape &mxu) {
  return PhaseBuilder(shape, mxu).build();
}

} // namespace systole
