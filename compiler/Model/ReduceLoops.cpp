// The loops of a reduction.
// See docs/decisions/reductions-and-row-statistics.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/ReduceLoops.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace systole {

/// The loop dimensions, of which rows that are reduced along several dimensions become one, if
/// these are numbered without gaps, though the body asks for the indices of some. The innermost
/// dimension has no whole vectors by itself then.
static llvm::SmallVector<LoopDim> mergedRows(llvm::ArrayRef<int64_t> sizes,
                                             llvm::ArrayRef<const RowAccess *> accesses,
                                             llvm::ArrayRef<bool> pinned,
                                             llvm::ArrayRef<bool> reduced) {
  llvm::SmallVector<LoopDim> dims = loopDims(sizes, accesses, pinned, reduced);
  llvm::SmallVector<const LoopDim *> rows;
  for (const LoopDim &dim : dims)
    if (dim.reduced)
      rows.push_back(&dim);
  if (rows.size() < 2 || rows.back()->extent % kSublanes == 0)
    return dims;
  llvm::SmallVector<bool> free(pinned);
  for (auto [d, isReduced] : llvm::enumerate(reduced))
    free[d] = free[d] && !isReduced;
  llvm::SmallVector<LoopDim> merged = loopDims(sizes, accesses, free, reduced);
  auto isReduced = [](const LoopDim &dim) { return dim.reduced; };
  return llvm::count_if(merged, isReduced) == 1 ? merged : dims;
}

ReduceLoops reduceLoops(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> reducedDims,
                        int64_t partials, llvm::ArrayRef<const RowAccess *> accesses, size_t inputs,
                        llvm::ArrayRef<bool> pinned) {
  ReduceLoops loops;
  loops.broadcasts = llvm::count_if(accesses.take_front(inputs), [](const RowAccess *access) {
    return access->lanes != RowAccess::Lanes::along;
  });
  loops.laneCount = sizes.empty() ? 1 : sizes.back();
  llvm::SmallVector<bool> reduced(sizes.size(), false);
  for (int64_t dim : reducedDims)
    reduced[dim] = true;
  loops.reducesLanes = !sizes.empty() && reduced.back();
  loops.dims = mergedRows(sizes, accesses, pinned, reduced);
  int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  for (auto [number, dim] : llvm::enumerate(loops.dims)) {
    (dim.reduced ? loops.reduced : loops.kept).push_back(number);
    loops.numbersGroups |= dim.reduced && dim.parts.back() == last;
  }
  bool isVector = partials > kLanes;
  loops.mostSlots = isVector ? kSublanes : loops.numbersGroups ? 1 : partials;
  return loops;
}

int64_t ReduceLoops::product(llvm::ArrayRef<size_t> numbers) const {
  int64_t result = 1;
  for (size_t number : numbers)
    result *= dims[number].extent;
  return result;
}

int64_t ReduceLoops::resultsAtOnce() const {
  constexpr int64_t mostAccumulators = 16;
  if (depth() == 0)
    return mostAccumulators;
  int64_t each =
      sublanes == Sublanes::rows ? llvm::divideCeil(accumulatorCount(), passCount()) : slotCount();
  return std::max<int64_t>(1, mostAccumulators / each);
}

int64_t ReduceLoops::jammedVectors(int64_t results) const {
  // The instructions of an addition's latency, and the registers of loops of one result.
  constexpr int64_t most = 4, mostAccumulators = 8;
  if (sublanes == Sublanes::rows || depth() <= maxUnrolledEvaluations)
    return 1;
  return std::clamp<int64_t>(mostAccumulators / (slotCount() * results), 1, most);
}

int64_t ReduceLoops::slotPasses(int64_t results, int64_t vectors) const {
  constexpr int64_t mostAccumulators = 8;
  int64_t passes = 1;
  if (broadcasts > 0 && depth() > maxUnrolledEvaluations)
    while (2 * passes <= slotCount() && slotCount() * results * vectors > mostAccumulators * passes)
      passes *= 2;
  return passes;
}

void ReduceLoops::chooseSublanes(size_t accesses) {
  // Vectors of each strategy, and those that the work after the sums stands for.
  constexpr int64_t treePrice = 8, storePrice = 2, lanePrice = 6;
  int64_t results = resultCount(), count = depth(), slots = slotCount();
  int64_t tail = storePrice + (reducesLanes ? lanePrice : 0);
  int64_t best = INT64_MAX;
  // A slot of eight results is a register.
  bool keptFits = slots <= maxUnrolledEvaluations;
  for (size_t dim : kept) {
    int64_t extent = dims[dim].extent;
    int64_t vectors = results / extent * llvm::divideCeil(extent, kSublanes);
    int64_t price = vectors * (count + slots - 1 + tail);
    if (keptFits && price <= best) {
      best = price;
      sublaneDim = dim;
    }
  }
  // Eight rows in one vector must have a uniform stride.
  bool rowsFit =
      mostSlots > 1 && (reduced.size() <= 1 || dims[reduced.back()].extent % kSublanes == 0);
  int64_t vectors = llvm::divideCeil(count, kSublanes) + accumulatorCount() - 1;
  int64_t price = results * (vectors + treePrice + tail);
  // Of a vector the last row of eight groups may be short, which only whole vectors can mask.
  bool isVector = numbersGroups && mostSlots > 1;
  bool needsRows = isVector || !keptFits;
  if (!needsRows && (!rowsFit || price >= best)) {
    if (best < INT64_MAX)
      return;
    sublanes = Sublanes::single;
  } else {
    sublanes = Sublanes::rows;
    if (!reduced.empty()) {
      sublaneDim = reduced.back();
      return;
    }
  }
  LoopDim none;
  none.strides.assign(accesses, 0);
  sublaneDim = dims.size();
  dims.push_back(none);
}

} // namespace systole
