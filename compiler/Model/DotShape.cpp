// The order of the loops of a product.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/DotShape.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::divideCeil;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

namespace systole {

bool DotShape::isEmpty() const {
  auto none = [](const DotDim &dim) { return dim.size == 0; };
  return n == 0 || llvm::any_of(batch, none) || llvm::any_of(rows, none);
}

int64_t DotShape::resultRows() const {
  int64_t count = nBlocks();
  for (const SmallVector<DotDim, 3> *dims : {&batch, &rows})
    for (const DotDim &dim : *dims)
      count *= dim.size;
  return count;
}

bool DotShape::hasNoDepth() const {
  return k == 0 || llvm::any_of(depth, [](const DotDim &dim) { return dim.size == 0; });
}

/// Merges dimensions that are contiguous in all buffers.
static void merge(SmallVectorImpl<DotDim> &dims) {
  SmallVector<DotDim, 3> merged;
  for (const DotDim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!merged.empty() && merged.back().lhs == dim.size * dim.lhs &&
        merged.back().rhs == dim.size * dim.rhs && merged.back().out == dim.size * dim.out) {
      int64_t size = merged.back().size * dim.size;
      merged.back() = dim;
      merged.back().size = size;
    } else {
      merged.push_back(dim);
    }
  }
  dims.assign(merged.begin(), merged.end());
}

void DotShape::setBatch(SmallVector<DotDim, 3> dims) {
  merge(dims);
  if (dims.empty())
    dims.emplace_back();
  batch = std::move(dims);
}

void DotShape::orderLoops() {
  auto byOutput = [](const DotDim &a, const DotDim &b) { return a.out > b.out; };
  llvm::stable_sort(rows, byOutput);
  llvm::stable_sort(batch, byOutput);
  merge(rows);
  merge(batch);
  merge(depth);
  // The row dimension that best fills groups of eight comes last; loads accept any stride.
  auto waste = [](const DotDim &dim) {
    return double(divideCeil(dim.size, kSublanes) * kSublanes) /
           double(std::max<int64_t>(1, dim.size));
  };
  if (rows.empty())
    rows.emplace_back();
  auto *best = std::prev(rows.end());
  for (auto *dim = rows.end(); dim-- != rows.begin();)
    if (waste(*dim) < waste(*best))
      best = dim;
  std::rotate(best, std::next(best), rows.end());
}

} // namespace systole
