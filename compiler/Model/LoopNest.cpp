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
    dim.extents = {dim.extent};
    dim.reduced = reduced[d];
    bool choosesLanes = false;
    for (const RowAccess *access : accesses) {
      dim.strides.push_back(access->strides[d]);
      choosesLanes |= access->laneDim == static_cast<int64_t>(d);
    }
    if (dim.extent == 1)
      continue;
    LoopDim *outer = dims.empty() ? nullptr : &dims.back();
    // Groups of lanes that are reduced keep their own order.
    bool merges = outer && !pinned[d] && !lastPinned && outer->reduced == dim.reduced &&
                  !(isLast && dim.reduced);
    // The index that chooses a lane and its group may go on in the next row.
    for (size_t a = 0; merges && a < accesses.size(); ++a)
      merges = accesses[a]->laneDim == static_cast<int64_t>(d)
                   ? dim.extent % kLanes == 0 && outer->strides[a] == dim.extent / kLanes
                   : outer->strides[a] == dim.strides[a] * dim.extent;
    if (merges) {
      outer->extent *= dim.extent;
      outer->strides = dim.strides;
      outer->parts.append(dim.parts);
      outer->extents.append(dim.extents);
    } else {
      dims.push_back(std::move(dim));
    }
    lastPinned = pinned[d] || choosesLanes;
  }
  return dims;
}

size_t densestDim(ArrayRef<LoopDim> dims) {
  size_t densest = 0;
  int64_t best = 0, total = 1;
  for (const LoopDim &dim : dims)
    total *= dim.extent;
  if (total == 0)
    return densest;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    int64_t vectors = total / dim.extent * divideCeil(dim.extent, kSublanes);
    if (number == 0 || vectors <= best) {
      best = vectors;
      densest = number;
    }
  }
  return densest;
}

bool paddingTakesLastGroup(ArrayRef<LoopDim> dims, size_t sublaneDim, const RowAccess &row,
                           size_t access, int64_t rows, bool isWritten) {
  const LoopDim &along = dims[sublaneDim];
  // Results are written to eight lanes of a row, of which the last ones are padding.
  if (isWritten && along.parts.size() == 1 && along.parts.front() == row.laneDim)
    return true;
  const int64_t extent = along.extent, stride = along.strides[access];
  int64_t last = row.first + (int64_t(llvm::alignTo(extent, kSublanes)) - 1) * stride;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    if (number != sublaneDim)
      last += (dim.extent - 1) * dim.strides[access];
    if (llvm::is_contained(dim.parts, row.laneDim))
      last += (dim.extent - 1) / kLanes;
  }
  return last < int64_t(llvm::alignTo(rows, kSublanes)) && (!isWritten || extent * stride >= rows);
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

SmallVector<LoopInput> loopInputs(ArrayRef<LoopDim> dims, ArrayRef<const RowAccess *> accesses,
                                  size_t count, size_t sublaneDim) {
  // Slots of a load, of a broadcast of one lane behind it, and of a gather of eight, one for each
  // sublane, of which the cross-lane unit begins one in four cycles.
  constexpr double loadPrice = 1, broadcastPrice = 2, gatherPrice = 5;
  SmallVector<LoopInput> inputs;
  for (size_t a = 0; a < count; ++a) {
    const RowAccess &access = *accesses[a];
    LoopInput input;
    for (const LoopDim &dim : dims)
      input.changes.push_back(changesAlong(dim, access, a));
    bool gathers =
        access.laneDim >= 0 && llvm::is_contained(dims[sublaneDim].parts, access.laneDim);
    input.price = access.lanes == RowAccess::Lanes::along ? loadPrice
                  : gathers                               ? gatherPrice
                                                          : broadcastPrice;
    inputs.push_back(std::move(input));
  }
  return inputs;
}

namespace {

/// Chooses the order of loops by an estimate of their cycles.
class LoopChoice {
public:
  LoopChoice(ArrayRef<size_t> dimensions, ArrayRef<int64_t> trips, int64_t maxCopies,
             ArrayRef<LoopInput> inputs, int64_t instructions)
      : dimensions(dimensions), trips(trips), maxCopies(maxCopies), inputs(inputs),
        evaluation(double(instructions) / kVectorSlots) {}

  LoopPlan run() {
    size_t longest = dimensions[0];
    for (size_t dim : dimensions)
      if (trips[dim] >= trips[longest])
        longest = dim;
    if (SmallVector<size_t> unrolled = shortOnes(longest);
        product(unrolled) * trips[longest] <= maxCopies) {
      // Without a loop: the outermost dimension first, so that inner ones share its loads.
      LoopPlan plan;
      for (size_t dim : dimensions)
        plan.levels.push_back({dim, true});
      return plan;
    }
    consider(longest);
    for (size_t dim : llvm::reverse(dimensions))
      if (dim != longest && trips[dim] > 1)
        consider(dim);
    return best;
  }

private:
  /// Of two, as v2 and v3 have them.
  static constexpr double kVectorSlots = 2;
  /// Registers, of 32, for vectors that are invariant in copies of a body, and for those that are
  /// invariant at all; the others are the pipeline's.
  static constexpr int64_t kMostHoisted = 8, kMostResident = 16;
  /// Cycles in which a pipeline fills and drains, and until a vector is there whose lanes are
  /// broadcast or gathered before it.
  static constexpr double kFill = 24, kBroadcast = 28;

  int64_t product(ArrayRef<size_t> dims) const {
    int64_t total = 1;
    for (size_t dim : dims)
      total *= trips[dim];
    return total;
  }
  /// Copies of an unrolled body that read other vectors of an input.
  int64_t copiesOf(const LoopInput &input, ArrayRef<size_t> unrolled) const {
    int64_t copies = 1;
    for (size_t dim : unrolled)
      copies *= input.changes[dim] ? trips[dim] : 1;
    return copies;
  }
  /// The dimensions inside of the loop over `innermost` that can be unrolled. Unrolling pays since
  /// a loop remains to be pipelined.
  SmallVector<size_t> shortOnes(size_t innermost) const {
    SmallVector<size_t> unrolled;
    int64_t copies = 1;
    for (size_t dim : llvm::reverse(dimensions)) {
      if (dim == innermost || copies * trips[dim] > maxCopies)
        continue;
      copies *= trips[dim];
      unrolled.insert(unrolled.begin(), dim);
    }
    return unrolled;
  }

  void consider(size_t innermost) {
    SmallVector<size_t> unrolled = shortOnes(innermost);
    tryPlan(innermost, unrolled);
    // Dimensions along which invariant vectors change, as loops outside.
    llvm::erase_if(unrolled, [&](size_t dim) {
      return llvm::any_of(inputs, [&](const LoopInput &input) {
        return !input.changes[innermost] && input.changes[dim];
      });
    });
    tryPlan(innermost, unrolled);
  }

  void tryPlan(size_t innermost, ArrayRef<size_t> unrolled) {
    int64_t hoisted = 0;
    for (const LoopInput &input : inputs)
      if (!input.changes[innermost])
        hoisted += copiesOf(input, unrolled);
    bool hoists = unrolled.empty() || hoisted <= kMostHoisted;
    double before = 0, inside = std::max<int64_t>(0, hoisted - kMostResident), wait = 0;
    for (const LoopInput &input : inputs) {
      bool isInside = input.changes[innermost] || !hoists;
      if (!isInside && input.price > 1)
        wait = kBroadcast;
      (isInside ? inside : before) += input.price * double(copiesOf(input, unrolled));
    }
    int64_t copies = product(unrolled);
    double iterations = double(trips[innermost]);
    double starts = double(product(dimensions)) / double(copies) / iterations;
    double cycles = starts * (kFill + wait + before +
                              iterations * std::max(inside, evaluation * double(copies)));
    if (!best.levels.empty() && cycles >= bestCycles)
      return;
    bestCycles = cycles;
    best = {};
    best.hoistsInvariants = hoists;
    for (size_t dim : dimensions)
      if (dim != innermost && !llvm::is_contained(unrolled, dim))
        best.levels.push_back({dim, false});
    best.levels.push_back({innermost, false});
    for (size_t dim : unrolled)
      best.levels.push_back({dim, true});
  }

  ArrayRef<size_t> dimensions;
  ArrayRef<int64_t> trips;
  int64_t maxCopies;
  ArrayRef<LoopInput> inputs;
  double evaluation;
  LoopPlan best;
  double bestCycles = 0;
};

} // namespace

LoopPlan planLoops(ArrayRef<size_t> dimensions, ArrayRef<int64_t> trips, int64_t maxCopies,
                   ArrayRef<LoopInput> inputs, int64_t instructions) {
  if (dimensions.empty())
    return {};
  return LoopChoice(dimensions, trips, maxCopies, inputs, instructions).run();
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
