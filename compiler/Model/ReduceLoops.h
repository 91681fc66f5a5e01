// The loops of a reduction, and the dimension of its results or rows along the sublanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H
#define SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H

#include "compiler/Model/LoopNest.h"

#include <optional>

namespace systole {

/// How a reduction is mapped to loops and sublanes. Every choice keeps the order of combination
/// that kernel.reduce specifies: partial results by reduced row modulo 8 (here "slots") and by
/// lane, rows ascending and in each row groups of lanes ascending; then slots by distance, then
/// lanes by distance.
struct ReduceLoops {
  llvm::SmallVector<LoopDim> dims;
  llvm::SmallVector<size_t> kept; // dimensions of the outputs
  llvm::SmallVector<size_t> rows; // reduced dimensions except for groups of lanes
  std::optional<size_t> groups;   // groups of lanes, if lanes are reduced
  bool reducesLanes = false;
  /// Only groups of lanes are reduced: they take the role of rows.
  bool groupsAreRows = false;
  int64_t laneCount = 1;

  enum class Sublanes {
    kept,   // eight outputs at once; each slot is a vector
    rows,   // the slots are the sublanes
    single, // one output; each slot is a vector of which one sublane is used
  };
  Sublanes sublanes = Sublanes::kept;
  size_t sublaneDim = 0;

  int64_t resultCount() const { return product(kept); }
  int64_t rowCount() const { return product(rows); }
  int64_t groupCount() const { return groups ? dims[*groups].extent : 1; }

  /// Chooses the strategy with the fewest vectors; adds a dimension of one step if no other one is
  /// along the sublanes.
  void chooseSublanes(size_t accesses);

private:
  int64_t product(llvm::ArrayRef<size_t> numbers) const;
};

/// The loops over the space `sizes`, of which the dimensions `reducedDims` are reduced; without the
/// choice of sublanes.
ReduceLoops reduceLoops(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> reducedDims,
                        llvm::ArrayRef<const RowAccess *> accesses, llvm::ArrayRef<bool> pinned);

/// Evaluations of a reduction's body up to which they are unrolled.
inline constexpr int64_t maxUnrolledEvaluations = 16;

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H
