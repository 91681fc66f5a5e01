// The iteration space of a product, in logical rows of its buffers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_DOTSHAPE_H
#define SYSTOLE_COMPILER_MODEL_DOTSHAPE_H

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

namespace systole {

/// A dimension of the iterations: its size, and the logical rows by which it advances in each
/// buffer.
struct DotDim {
  int64_t size = 1, lhs = 0, rhs = 0, out = 0;
};

/// Rows of rhs that form weights: their number, and their distance in logical rows.
struct DotRun {
  int64_t size = 0, pitch = 0;
};

/// Sums of products over k, which is along the lanes of lhs, and over `depth`. The result has n
/// along its lanes.
struct DotShape {
  llvm::SmallVector<DotDim, 3> batch; ///< results with their own weights
  llvm::SmallVector<DotDim, 3> rows;  ///< results with the same weights; eight of the last at once
  llvm::SmallVector<DotDim, 3> depth; ///< summands with their own weights, the last fastest
  int64_t k = 0, n = 0;
  bool rhsTransposed = false; ///< k is along the lanes of rhs; otherwise n is
  /// The rows of rhs across its lanes, k or n. Several runs have at most 128 k in all, where each
  /// but the innermost counts whole groups of eight of the next.
  llvm::SmallVector<DotRun, 2> runs;
  /// Logical rows of rhs between blocks of 128 k, or of 128 n.
  int64_t kStep = 0, nStep = 0;

  /// The lanes of lhs that take part, and those of the result that get sums; others only of
  /// operands of one block.
  struct LaneRange {
    int64_t begin = 0, end = kLanes;
    bool isAll() const { return begin == 0 && end == kLanes; }
  };
  LaneRange lhsLanes, outLanes;

  /// Logical rows before the first ones of lhs, rhs and the result.
  int64_t lhsBase = 0, rhsBase = 0, outBase = 0;

  /// Blocks of 128: tiles of lanes of lhs and of the result.
  int64_t kBlocks() const { return llvm::divideCeil(k, kLanes); }
  int64_t nBlocks() const { return llvm::divideCeil(n, kLanes); }
  /// Makes `dims` the batch, merging those that continue each other.
  void setBatch(llvm::SmallVector<DotDim, 3> dims);
  bool isEmpty() const;
  /// Logical rows that have results.
  int64_t resultRows() const;
  /// Whether the sum is empty.
  bool hasNoDepth() const;
  /// Orders the dimensions as their loops nest, merges those that continue each other, and makes
  /// the rows that best fill groups of eight the last.
  void orderLoops();
};

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_DOTSHAPE_H
