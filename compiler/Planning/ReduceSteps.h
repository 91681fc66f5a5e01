// The stages in which a reduction over a block keeps its order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_REDUCESTEPS_H
#define SYSTOLE_COMPILER_PLANNING_REDUCESTEPS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// A reduction is one `kernel.reduce`, or one over its rows and a second one over its tree, where
/// the tree does not lie along the lanes or takes more than one row of them.
struct ReduceSteps {
  /// The dimension of the block at each place of the first step's space: they lie as in the block,
  /// except that rows take each other's places so as to be numbered in the order of the sum.
  llvm::SmallVector<int64_t> space;
  /// Reduced dimensions of the block in ascending order, and of what the first step leaves.
  llvm::SmallVector<int64_t> first, second;
  /// Of `kernel.reduce`.
  int64_t firstPartials = 8, secondPartials = 8;

  bool hasSecond() const { return !second.empty(); }
  /// The shape of the first step's results if there is a second one.
  llvm::SmallVector<int64_t> between(llvm::ArrayRef<int64_t> block) const;
  /// The place of a dimension of the block in the first step's space.
  int64_t placeOf(int64_t dim) const;
};

/// The steps of `op` over a block of its operands of shape `block`.
ReduceSteps reduceSteps(stablehlo::ReduceOp op, llvm::ArrayRef<int64_t> block);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_REDUCESTEPS_H
