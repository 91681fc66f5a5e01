// Loops over a stage's iteration space: which dimensions are one, which is along the sublanes,
// which are unrolled.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_LOOPNEST_H
#define SYSTOLE_COMPILER_MODEL_LOOPNEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace systole {

/// One buffer under an index map of the space. Element (row, lane) of the buffer for an index: row
/// = first + sum of strides[d] * index[d] over all dimensions but the last, plus the index's group
/// of 128 lanes if the last dimension is along the lanes.
struct RowAccess {
  enum class Lanes {
    along,  // the space's last dimension is along the buffer's lanes
    first,  // lane 0 of a row
    chosen, // the index along dimension `laneDim` selects lane and group
  };
  llvm::SmallVector<int64_t> strides;
  int64_t first = 0;
  Lanes lanes = Lanes::along;
  int64_t laneDim = -1;
};

/// A loop dimension: consecutive dimensions of the space merged into one. The groups of 128 lanes
/// (of the space's last dimension) are a dimension, too.
struct LoopDim {
  int64_t extent = 1;
  /// The merged dimensions of the space, outermost first; its last one stands for groups of lanes.
  llvm::SmallVector<int64_t> parts;
  /// The indices of each of them.
  llvm::SmallVector<int64_t> extents;
  /// Logical rows per step, by access.
  llvm::SmallVector<int64_t> strides;
  /// Set by the caller; only dimensions with equal flags are merged.
  bool reduced = false;
};

/// The loop dimensions of `sizes`, outermost first, without those of size 1, merged where all
/// accesses allow. `pinned` dimensions are not merged. One that chooses lanes is the last part of
/// its loop dimension, whose index it then stands for.
llvm::SmallVector<LoopDim> loopDims(llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<const RowAccess *> accesses,
                                    llvm::ArrayRef<bool> pinned, llvm::ArrayRef<bool> reduced);

/// The dimension that wastes the fewest of the sublanes if these run along it; of equal ones the
/// innermost.
size_t densestDim(llvm::ArrayRef<LoopDim> dims);

/// Whether groups of eight along dimension `sublaneDim`, the last of which may go on beyond the
/// elements, stay inside of the `rows` of a buffer, rounded up to eight, that access number
/// `access` is of; and if they are written, whether what lies beyond the elements is padding.
bool paddingTakesLastGroup(llvm::ArrayRef<LoopDim> dims, size_t sublaneDim, const RowAccess &row,
                           size_t access, int64_t rows, bool isWritten);

/// Whether access number `access` reads another vector in each step along `dim`.
bool changesAlong(const LoopDim &dim, const RowAccess &row, size_t access);

/// An input of a stage: the loop dimensions along which it reads other vectors, and the slots that
/// a vector of it takes.
struct LoopInput {
  llvm::SmallVector<bool, 4> changes; // by dimension
  double price = 1;
};
/// The first `count` accesses as inputs, with the sublanes along dimension `sublaneDim`.
llvm::SmallVector<LoopInput> loopInputs(llvm::ArrayRef<LoopDim> dims,
                                        llvm::ArrayRef<const RowAccess *> accesses, size_t count,
                                        size_t sublaneDim);

/// The order of loops over some dimensions, and which are unrolled.
struct LoopPlan {
  struct Level {
    size_t dim;
    bool unrolled = false;
  };
  /// The innermost level that is a loop; none if all are unrolled.
  std::optional<size_t> innermostLoop() const;

  llvm::SmallVector<Level> levels; // outermost first
  /// Inputs that do not change in the innermost loop are loaded before it, once for each copy of
  /// the body that reads another vector, and stay in registers.
  bool hoistsInvariants = false;
};

/// Orders `dimensions` for pipelining. One loop is innermost; inside of it short ones are unrolled
/// while there are at most `maxCopies` copies of the body. It is the longest one if the others do
/// not save more loads: of inputs that do not change in the innermost loop, and which are costly
/// where they are broadcast across lanes. `trips` are iterations by dimension, `instructions` those
/// of the vector unit in an evaluation of the body.
LoopPlan planLoops(llvm::ArrayRef<size_t> dimensions, llvm::ArrayRef<int64_t> trips,
                   int64_t maxCopies, llvm::ArrayRef<LoopInput> inputs = {},
                   int64_t instructions = 0);

/// Copies of the body of a stage with so many inputs that unrolling may make.
int64_t mostCopies(size_t inputs);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_LOOPNEST_H
