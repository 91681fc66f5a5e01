// How a product is cut into loops of equal steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_CODEGEN_DOTPHASES_H
#define SYSTOLE_COMPILER_CODEGEN_DOTPHASES_H

#include "compiler/Codegen/DotShape.h"

namespace systole::codegen {

/// What the arrays divide among them in a step.
enum class DotSplit {
  columns, // each has a block of columns of its own
  depth,   // each has a block of k; the results are added
  rows,    // each has rows of its own, and the same weights
  batch,   // each has a product of its own
};

/// Of a direction of the batch, the indices of a phase: `first` and every `step`-th from there.
struct DotRange {
  int64_t first = 0, count = 1, step = 1;
};

/// A part of a product that one loop covers: all summands and rows of its
/// directions, ranges of its batch, `nCount` steps of column blocks from block `nFirst`, `kCount`
/// steps of blocks of k from block `kFirst`. Blocks that are not full, of k or of rhs's rows, stand
/// in phases of one step.
struct DotPhase {
  DotSplit split;
  int64_t arrays;
  int64_t nFirst, nCount;
  int64_t kFirst, kCount;
  /// Of each direction of rows, what one step takes; all but the last divide evenly.
  llvm::SmallVector<int64_t, 3> box;
  llvm::SmallVector<DotRange, 3> batch;
  /// The direction of the batch of which each array has an index, if they divide that.
  size_t batchDim = 0;

  /// Of `what`, how many blocks a step does.
  int64_t perStep(DotSplit what) const { return split == what ? arrays : 1; }
  /// Groups of eight rows in a step, and those that one array takes of them.
  int64_t groups() const;
  int64_t groupsPerArray() const { return ceilDiv(groups(), perStep(DotSplit::rows)); }
};

/// The phases in which `mxus` arrays do the product.
llvm::SmallVector<DotPhase> phasesOf(const DotShape &shape, int64_t mxus);

} // namespace systole::codegen

#endif // SYSTOLE_COMPILER_CODEGEN_DOTPHASES_H
