// Partitions a product into loops of equal steps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_DOTPHASES_H
#define SYSTOLE_COMPILER_MODEL_DOTPHASES_H

#include "compiler/Model/DotShape.h"
#include "compiler/Model/MxuShape.h"

namespace systole {

/// What a step divides among the MXUs.
enum class DotSplit {
  columns, // each has its own block of columns
  depth,   // each has its own block of k; the results are added
  rows,    // each has its own rows, and the same weights
  batch,   // each has its own product
};

/// The indices of a phase along a batch dimension: `first` and every `step`-th one after it.
struct DotRange {
  int64_t first = 0, count = 1, step = 1;
};

/// Blocks of 128 of k and of columns of which one MXU has the weights.
struct DotTiles {
  int64_t depth = 1, columns = 1;
  int64_t count() const { return depth * columns; }
};

/// A part of a product that one loop covers: all of its depth and row dimensions, ranges of its
/// batch dimensions, `nCount` steps of column blocks from block `nFirst`, `kCount` steps of
/// blocks of k from block `kFirst`. Partial blocks, of k or of rhs's rows, are in phases of one
/// step.
struct DotPhase {
  DotSplit split;
  int64_t usedMxus;
  DotTiles tiles;
  int64_t nFirst, nCount;
  int64_t kFirst, kCount;
  /// The extent of a step along each row dimension; all but the last are divisors of the size.
  llvm::SmallVector<int64_t, 3> box;
  llvm::SmallVector<DotRange, 3> batch;
  /// The batch dimension of which each MXU has its own index, if batches are divided.
  size_t batchDim = 0;

  /// How many blocks of `what` a step processes.
  int64_t perStep(DotSplit what) const { return (split == what ? usedMxus : 1) * ofMxu(what); }
  /// How many blocks of `what` each of its MXUs processes.
  int64_t ofMxu(DotSplit what) const {
    return what == DotSplit::depth ? tiles.depth : what == DotSplit::columns ? tiles.columns : 1;
  }
  /// Groups of eight rows in a step, and those of one MXU.
  int64_t groups() const;
  int64_t groupsPerMxu() const { return llvm::divideCeil(groups(), perStep(DotSplit::rows)); }
};

/// The phases in which the MXUs compute the product.
llvm::SmallVector<DotPhase> phasesOf(const DotShape &shape, const MxuShape &mxu);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_DOTPHASES_H
