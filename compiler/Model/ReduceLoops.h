// The loops of a reduction, and the dimension of its results or rows along the sublanes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H
#define SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H

#include "compiler/Model/LoopNest.h"
#include "dialects/Layout/MachineShape.h"

#include "llvm/Support/MathExtras.h"

namespace systole {

/// How a reduction is mapped to loops and sublanes. Every choice keeps the order of combination
/// that kernel.reduce specifies. What is reduced is numbered: rows, or groups of 128 lanes.
/// Elements of equal number modulo the count of slots are combined in ascending order, each slot a
/// partial result, then slots by distance, then lanes by distance.
struct ReduceLoops {
  llvm::SmallVector<LoopDim> dims;
  llvm::SmallVector<size_t> kept; // dimensions of the outputs
  /// Reduced dimensions, the innermost last: those of rows, or groups of lanes alone.
  llvm::SmallVector<size_t> reduced;
  bool reducesLanes = false;
  /// Groups of lanes are what is numbered, each of them with the lanes that it has.
  bool numbersGroups = false;
  int64_t laneCount = 1;
  /// Slots if there are as many elements: 8 or 128 of rows, 8 of groups of a vector, else 1.
  int64_t mostSlots = kSublanes;
  /// Inputs whose lanes are broadcast, and wait in registers.
  int64_t broadcasts = 0;

  enum class Sublanes {
    kept,   // eight outputs at once; each slot is a vector
    rows,   // the slots are the sublanes
    single, // one output; each slot is a vector of which one sublane is used
  };
  Sublanes sublanes = Sublanes::kept;
  size_t sublaneDim = 0;

  int64_t resultCount() const { return product(kept); }
  /// Elements that are combined into each lane of a result.
  int64_t depth() const { return product(reduced); }
  int64_t slotCount() const { return std::min(depth(), mostSlots); }
  /// Vectors with a slot in each sublane.
  int64_t accumulatorCount() const { return llvm::divideCeil(slotCount(), kSublanes); }

  /// In how many passes over the elements these are accumulated, each at most four of them, so that
  /// a pipeline has registers for the values of several iterations.
  int64_t passCount() const { return llvm::divideCeil(accumulatorCount(), 4); }

  /// Results of one reduction that are accumulated in one loop: what their accumulators leave of
  /// the registers is the pipeline's. After `chooseSublanes`.
  int64_t resultsAtOnce() const;

  /// Vectors of results, of a reduction with so many of them, whose accumulators share a loop:
  /// one's chain of combinations hides behind those of the others. 1 if the loop is unrolled, where
  /// the one around it is pipelined. After `chooseSublanes`.
  int64_t jammedVectors(int64_t results) const;

  /// In how many passes the slots of so many vectors are accumulated, where each slot is a vector:
  /// as many as leave a pipeline registers for what is broadcast. A power of two. After
  /// `chooseSublanes`.
  int64_t slotPasses(int64_t results, int64_t vectors) const;

  /// Chooses the strategy with the fewest vectors; adds a dimension of one step if no other one is
  /// along the sublanes.
  void chooseSublanes(size_t accesses);

private:
  int64_t product(llvm::ArrayRef<size_t> numbers) const;
};

/// The loops over the space `sizes`, of which the dimensions `reducedDims` are reduced in
/// `partials` partial results; without the choice of sublanes. The first `inputs` of the accesses
/// are read.
ReduceLoops reduceLoops(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> reducedDims,
                        int64_t partials, llvm::ArrayRef<const RowAccess *> accesses, size_t inputs,
                        llvm::ArrayRef<bool> pinned);

/// Evaluations of a reduction's body up to which they are unrolled.
inline constexpr int64_t maxUnrolledEvaluations = 16;

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_REDUCELOOPS_H
