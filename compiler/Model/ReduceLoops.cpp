// The loops of a reduction.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/ReduceLoops.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace systole {

ReduceLoops reduceLoops(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> reducedDims,
                        llvm::ArrayRef<const RowAccess *> accesses, llvm::ArrayRef<bool> pinned) {
  ReduceLoops loops;
  loops.laneCount = sizes.empty() ? 1 : sizes.back();
  llvm::SmallVector<bool> reduced(sizes.size(), false);
  for (int64_t dim : reducedDims)
    reduced[dim] = true;
  loops.reducesLanes = !sizes.empty() && reduced.back();
  loops.dims = loopDims(sizes, accesses, pinned, reduced);
  int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  for (auto [number, dim] : llvm::enumerate(loops.dims)) {
    if (!dim.reduced)
      loops.kept.push_back(number);
    else if (dim.parts.back() == last)
      loops.groups = number;
    else
      loops.rows.push_back(number);
  }
  // The order may only depend on the shape.
  bool isOneRow = llvm::all_of(sizes.drop_back(), [](int64_t size) { return size == 1; });
  if (loops.reducesLanes && isOneRow && loops.laneCount >= kSublanes * kLanes) {
    loops.groupsAreRows = true;
    loops.rows = {*loops.groups};
    loops.groups.reset();
  }
  return loops;
}

int64_t ReduceLoops::product(llvm::ArrayRef<size_t> numbers) const {
  int64_t result = 1;
  for (size_t number : numbers)
    result *= dims[number].extent;
  return result;
}

void ReduceLoops::chooseSublanes(size_t accesses) {
  // Vectors of each strategy, and those that the work after the sums stands for.
  constexpr int64_t treePrice = 8, storePrice = 2, lanePrice = 6;
  int64_t results = resultCount(), count = rowCount(), depth = count * groupCount();
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
  // Eight rows in one vector must have a uniform stride.
  bool rowsFit = rows.size() <= 1 || dims[rows.back()].extent % kSublanes == 0;
  int64_t vectors = llvm::divideCeil(count, kSublanes) * groupCount();
  int64_t price = results * (vectors + treePrice + tail);
  if (!groupsAreRows && (!rowsFit || price >= best)) {
    if (!kept.empty())
      return;
    sublanes = Sublanes::single;
  } else {
    sublanes = Sublanes::rows;
    if (!rows.empty()) {
      sublaneDim = rows.back();
      return;
    }
  }
  LoopDim none;
  none.strides.assign(accesses, 0);
  sublaneDim = dims.size();
  dims.push_back(none);
}

} // namespace systole
