// Partitions a product into loops of equal steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotPhases.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

using llvm::ArrayRef;
using llvm::divideCeil;
using llvm::SmallVector;

namespace systole {

/// The maximum number of row groups of one MXU in a step that the scheduler can overlap.
static constexpr int64_t kMostGroups = 32;

/// Cycles of a step in which an MXU multiplies `groups` row groups: at least as many as latching a
/// block of weights takes.
static int64_t cyclesOf(int64_t groups) {
  constexpr int64_t cyclesPerGroup = 8, leastCycles = 132;
  return std::max(cyclesPerGroup * groups, leastCycles);
}

int64_t DotPhase::groups() const {
  int64_t count = divideCeil(box.back(), kSublanes);
  for (int64_t size : ArrayRef<int64_t>(box).drop_back())
    count *= size;
  return count;
}

/// Row groups of an MXU in a chunk of one dimension: the number for which the steps over all rows
/// take the fewest cycles. Ties are resolved to chunks that divide the rows evenly.
static int64_t groupsPerChunk(int64_t rows, int64_t chunksPerStep) {
  int64_t groups = divideCeil(rows, kSublanes), best = 0;
  auto costOf = [&](int64_t size) {
    int64_t chunks = divideCeil(groups, size), steps = divideCeil(chunks, chunksPerStep);
    return std::pair(steps * cyclesOf(size), chunks * size - groups);
  };
  for (int64_t size = 1; size <= std::min(kMostGroups, groups); ++size)
    if (!best || costOf(size) <= costOf(best))
      best = size;
  // A single step is divided evenly among the MXUs.
  int64_t steps = divideCeil(groups, best * chunksPerStep);
  return steps == 1 ? divideCeil(groups, chunksPerStep) : best;
}

/// Cycles of all rows in steps of `box`, divided among `mxus` MXUs.
static int64_t cyclesOf(ArrayRef<DotDim> rows, ArrayRef<int64_t> box, int64_t usedMxus) {
  int64_t inner = rows.back().size;
  int64_t steps = divideCeil(inner, box.back()), groups = divideCeil(box.back(), kSublanes);
  for (auto [dim, size] : llvm::zip(rows.drop_back(), box)) {
    steps *= dim.size / size;
    groups *= size;
  }
  return steps * cyclesOf(divideCeil(groups, usedMxus));
}

/// The box of rows of a step when rows are divided among `mxus` MXUs: a chunk of the last
/// dimension, or all of it and as much of the others as takes the fewest cycles.
static SmallVector<int64_t, 3> boxOf(ArrayRef<DotDim> rows, int64_t usedMxus) {
  int64_t inner = rows.back().size;
  auto cycles = [&](ArrayRef<int64_t> box) { return cyclesOf(rows, box, usedMxus); };
  SmallVector<int64_t, 3> best(rows.size(), 1);
  best.back() = kSublanes * usedMxus * groupsPerChunk(inner, usedMxus);

  SmallVector<int64_t, 3> box(rows.size(), 1);
  box.back() = inner;
  int64_t groups = divideCeil(inner, kSublanes);
  for (int64_t dim = static_cast<int64_t>(rows.size()) - 2; dim >= 0; --dim) {
    int64_t size = rows[dim].size;
    for (int64_t part = 2; part <= size && groups * part <= kMostGroups * usedMxus; ++part) {
      if (size % part != 0)
        continue;
      box[dim] = part;
      if (cycles(box) < cycles(best))
        best = box;
    }
    if (groups * size > kMostGroups * usedMxus)
      break;
    box[dim] = size;
    groups *= size;
  }
  return best;
}

namespace {

class PhaseBuilder {
public:
  PhaseBuilder(const DotShape &shape, int64_t mxus) : shape(shape), mxus(mxus) {}
  SmallVector<DotPhase> build();

private:
  void addGroup(bool isGroup, int64_t nFirst, int64_t nCount);
  void add(DotSplit split, int64_t usedMxus, int64_t kCount);
  /// Steps of one block of columns and of k: each MXU has rows, a product, or nothing.
  void addSingle(int64_t kCount);
  void addBatch(SmallVector<DotRange, 3> ranges, DotPhase phase);

  bool hasRows() const { return shape.rows.size() > 1 || shape.rows.back().size > kSublanes; }

  const DotShape &shape;
  int64_t mxus;
  SmallVector<DotPhase> phases;
  int64_t nFirst = 0, nCount = 0, done = 0; // blocks of k
};

} // namespace

void PhaseBuilder::add(DotSplit split, int64_t usedMxus, int64_t kCount) {
  if (kCount == 0)
    return;
  DotPhase phase{split, usedMxus, nFirst, nCount, done, kCount, {}, {}};
  done += kCount * phase.perStep(DotSplit::depth);
  assert(usedMxus > 0 && usedMxus <= mxus && "a step uses the MXUs that there are");
  assert(done <= shape.kBlocks() && "every block of k is multiplied once");
  SmallVector<DotRange, 3> batch;
  for (const DotDim &dim : shape.batch)
    batch.push_back({0, dim.size});
  if (split == DotSplit::batch)
    return addBatch(batch, phase);
  phase.batch = batch;
  phase.box = boxOf(shape.rows, phase.perStep(DotSplit::rows));
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
    phase.box = boxOf(shape.rows, phase.perStep(DotSplit::rows));
    phases.push_back(std::move(phase));
    return;
  }
  DotRange &range = ranges[dim - 1];
  phase.usedMxus = std::min(mxus, range.count);
  phase.batchDim = dim - 1;
  phase.batch[dim - 1] = {range.first, range.count / phase.usedMxus, phase.usedMxus};
  phase.box = boxOf(shape.rows, 1);
  phases.push_back(phase);
  assert(phase.batch[dim - 1].count > 0 && "a range of products");
  int64_t rest = range.count % phase.usedMxus;
  if (rest == 0)
    return;
  range = {range.first + range.count - rest, rest};
  addBatch(ranges, phase);
}

void PhaseBuilder::addSingle(int64_t kCount) {
  int64_t products = 1;
  for (const DotDim &dim : shape.batch)
    products *= dim.size;
  if (mxus > 1 && products >= mxus) {
    auto cycles = [&](int64_t usedMxus) {
      return cyclesOf(shape.rows, boxOf(shape.rows, usedMxus), usedMxus);
    };
    // With few rows each, MXUs wait for weights; less than a tenth does not pay for more loops.
    if (!hasRows() || 10 * cycles(1) < 9 * mxus * cycles(mxus))
      return add(DotSplit::batch, mxus, kCount);
  }
  if (mxus > 1 && hasRows())
    add(DotSplit::rows, mxus, kCount);
  else
    add(DotSplit::columns, 1, kCount);
}

/// Adds phases for column blocks first, ... in `count` steps.
void PhaseBuilder::addGroup(bool isGroup, int64_t first, int64_t count) {
  assert(first >= 0 && count > 0 && "a group of columns");
  nFirst = first;
  nCount = count;
  done = 0;
  // Only full blocks of k can share a loop.
  int64_t full = shape.k / kLanes;
  if (isGroup) {
    add(DotSplit::columns, mxus, full);
    add(DotSplit::columns, mxus, shape.kBlocks() - done);
    return;
  }
  // Columns for one MXU at a time: the others take rows or, only if that keeps the order of
  // summation, blocks of k.
  if (!shape.depth.empty()) {
    addSingle(full);
    addSingle(shape.kBlocks() - done);
    return;
  }
  if (mxus > 1)
    add(DotSplit::depth, mxus, full / mxus);
  else
    add(DotSplit::columns, 1, full);
  if (int64_t rest = shape.kBlocks() - done; rest > 1)
    add(DotSplit::depth, rest, 1);
  else
    addSingle(rest);
}

SmallVector<DotPhase> PhaseBuilder::build() {
  // With a transposed rhs, only full blocks of columns can share a loop.
  int64_t blocks = shape.nBlocks();
  int64_t alike = shape.rhsTransposed ? shape.n / kLanes : blocks, begin = 0;
  auto addColumns = [&](bool isGroup, int64_t count) {
    if (count == 0)
      return;
    addGroup(isGroup, begin, count);
    begin += isGroup ? count * mxus : count;
  };
  addColumns(true, alike / mxus);
  addColumns(true, (blocks - begin) / mxus);
  addColumns(false, std::max<int64_t>(alike - begin, 0));
  addColumns(false, blocks - begin);
  assert(begin == blocks && "every block of columns has a phase");
  return std::move(phases);
}

SmallVector<DotPhase> phasesOf(const DotShape &shape, int64_t mxus) {
  return PhaseBuilder(shape, mxus).build();
}

} // namespace systole
