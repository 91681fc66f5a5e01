// Where the elements of a sort lie.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTCOLUMNS_H
#define SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTCOLUMNS_H

#include "dialects/StableHLO/StableHLO.h"

namespace systole::expansion {

/// `outer` sequences of `padded` elements for each of `inner` indices beside each other, in columns
/// of `rows()` rows and `chunks` chunks.
struct SortColumns {
  explicit SortColumns(stablehlo::SortOp op);

  int64_t size, padded, outer = 1, inner = 1;
  bool isTransposed = false;
  int64_t chunks = 1;
  /// Columns that VMEM does not hold are divided into so many, which are merged.
  int64_t parts = 1;

  /// The extent of the innermost dimension, a power of two where it has several chunks.
  int64_t paddedInner() const;
  int64_t rows() const { return padded / chunks / parts; }
  int64_t lanes() const { return chunks * paddedInner(); }
  llvm::SmallVector<int64_t> shape() const { return {outer * parts, rows(), lanes()}; }

  /// Places and divides columns so that some arrays of the rows of one, and their sorted copies,
  /// fit.
  void arrange(int64_t arrays, int64_t bytes);
  /// Places columns of which the first `count` elements are wanted. The rows of one are then runs
  /// of the result's length, of which half are left time after time.
  void arrangeRuns(int64_t count);
  int64_t runLength = 0; ///< 0 if there are no such runs

private:
  void transpose();
  void fillLanes();
};

} // namespace systole::expansion

#endif // SYSTOLE_COMPILER_LEGALIZE_EXPAND_SORTCOLUMNS_H
