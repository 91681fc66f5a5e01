// Loops over a stage's iteration space.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Model/LoopNest.h"

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::ArrayRef;
using llvm::divideCeil;
using llvm::SmallVector;

namespace systole {

SmallVector<LoopDim> loopDims(ArrayRef<int64_t> sizes, ArrayRef<const RowAccess *> accesses,
                              ArrayRef<bool> pinned, ArrayRef<bool> reduced) {
  SmallVector<LoopDim> dims;
  bool lastPinned = false;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    LoopDim dim;
    bool isLast = d + 1 == sizes.size();
    dim.extent = isLast ? divideCeil(size, kLanes) : size;
    dim.parts = {static_cast<int64_t>(d)};
    dim.reduced = reduced[d];
    bool isPinned = pinned[d];
    for (const RowAccess *access : accesses) {
      dim.strides.push_back(access->strides[d]);
      isPinned |= access->laneDim == static_cast<int64_t>(d);
    }
    if (dim.extent == 1)
      continue;
    LoopDim *outer = dims.empty() ? nullptr : &dims.back();
    // Groups of lanes that are reduced keep their own order.
    bool merges = outer && !isPinned && !lastPinned && outer->reduced == dim.reduced &&
                  !(isLast && dim.reduced);
    for (size_t a = 0; merges && a < accesses.size(); ++a)
      merges = outer->strides[a] == dim.strides[a] * dim.extent;
    if (merges) {
      outer->extent *= dim.extent;
      outer->strides = dim.strides;
      outer->parts.append(dim.parts);
    } else {
      dims.push_back(std::move(dim));
      lastPinned = isPinned;
    }
  }
  return dims;
}

size_t densestDim(ArrayRef<LoopDim> dims) {
  size_t densest = 0;
  int64_t best = 0, total = 1;
  for (const LoopDim &dim : dims)
    total *= dim.extent;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    int64_t vectors = total / dim.extent * divideCeil(dim.extent, kSublanes);
    if (number == 0 || vectors <= best) {
      best = vectors;
      densest = number;
    }
  }
  return densest;
}

bool changesAlong(const LoopDim &dim, const RowAccess &row, size_t access) {
  return dim.strides[access] != 0 || llvm::is_contained(dim.parts, row.laneDim);
}

std::optional<size_t> LoopPlan::innermostLoop() const {
  for (size_t level = levels.size(); level > 0; --level)
    if (!levels[level - 1].unrolled)
      return level - 1;
  return std::nullopt;
}

namespace {

/// Vectors that are invariant in the innermost loop of a stage.
struct Invariants {
  /// Registers that hold all of them.
  int64_t registers = 0;
  /// The unrolled dimensions along which they change.
  SmallVector<size_t> dims;
};

} // namespace

static Invariants invariantsOf(size_t innermost, ArrayRef<size_t> unrolled, ArrayRef<int64_t> trips,
                               size_t inputs, llvm::function_ref<bool(size_t, size_t)> changes) {
  Invariants found;
  for (size_t input = 0; input < inputs; ++input) {
    if (changes(input, innermost))
      continue;
    int64_t copies = 1;
    for (size_t dim : unrolled)
      if (changes(input, dim)) {
        copies *= trips[dim];
        if (!llvm::is_contained(found.dims, dim))
          found.dims.push_back(dim);
      }
    found.registers += copies;
  }
  return found;
}

LoopPlan planLoops(ArrayRef<size_t> dimensions, ArrayRef<int64_t> trips, int64_t maxCopies,
                   size_t inputs, llvm::function_ref<bool(size_t, size_t)> changes) {
  // Registers for invariant vectors, of 32; the others are the pipeline's.
  constexpr int64_t mostInvariants = 8;
  // Iterations in which an outer loop's fill and drain cost less than the loads that it saves.
  constexpr int64_t fewestIterations = 16;
  LoopPlan plan;
  if (dimensions.empty())
    return plan;
  size_t longest = dimensions[0];
  for (size_t dim : dimensions)
    if (trips[dim] >= trips[longest])
      longest = dim;
  // Unrolling short loops pays if a longer one remains to be pipelined, or if nothing remains to
  // loop over.
  SmallVector<size_t> unrolled;
  int64_t copies = 1;
  for (size_t dim : llvm::reverse(dimensions)) {
    if (dim == longest || copies * trips[dim] > maxCopies)
      continue;
    copies *= trips[dim];
    unrolled.insert(unrolled.begin(), dim);
  }
  if (copies * trips[longest] <= maxCopies) {
    // Without a loop: the outermost dimension first, so that inner ones share its loads.
    for (size_t dim : dimensions)
      plan.levels.push_back({dim, true});
    return plan;
  }
  Invariants invariants = invariantsOf(longest, unrolled, trips, inputs, changes);
  plan.hoistsInvariants = invariants.registers <= mostInvariants;
  if (!plan.hoistsInvariants && trips[longest] >= fewestIterations) {
    llvm::erase_if(unrolled, [&](size_t dim) { return llvm::is_contained(invariants.dims, dim); });
    plan.hoistsInvariants = true;
  }
  for (size_t dim : dimensions)
    if (dim != longest && !llvm::is_contained(unrolled, dim))
      plan.levels.push_back({dim, false});
  plan.levels.push_back({longest, false});
  for (size_t dim : unrolled)
    plan.levels.push_back({dim, true});
  return plan;
}

int64_t mostCopies(size_t inputs) {
  // More copies take more instruction memory than they save in loop overhead. Bodies with many
  // inputs, such as windows with their weights, are not unrolled: values that are invariant in the
  // innermost loop stay in registers.
  constexpr int64_t mostOfShort = 4;
  constexpr size_t mostRepeatedInputs = 8;
  return inputs > mostRepeatedInputs ? 1 : mostOfShort;
}

} // namespace systole
