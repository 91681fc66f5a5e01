// How the cross-lane unit takes elements of tables (`kernel.take`).
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_KERNEL_LOOKUPSHAPE_H
#define SYSTOLE_DIALECTS_KERNEL_LOOKUPSHAPE_H

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

namespace systole {

/// The rows of a table that are taken from without a loop.
inline constexpr int64_t kMostUnrolledTableRows = 8;

/// Tables [B, N] and indices [B, M].
struct LookupShape {
  LookupShape(llvm::ArrayRef<int64_t> table, llvm::ArrayRef<int64_t> indices)
      : batches(table[0]), tableRows(llvm::divideCeil(table[1], kLanes)),
        groups(llvm::divideCeil(indices[1], kLanes)),
        acrossBatches(vectorsAlong(batches) * groups < batches * vectorsAlong(groups)) {}

  static int64_t vectorsAlong(int64_t rows) { return llvm::divideCeil(rows, kSublanes); }

  int64_t batches;
  int64_t tableRows; ///< of 128 elements, of one batch
  int64_t groups;    ///< of 128 indices of one batch
  /// A vector of indices is a group of eight batches, each with its own table, rather than eight
  /// groups of one.
  bool acrossBatches;

  int64_t vectors() const {
    return acrossBatches ? vectorsAlong(batches) * groups : batches * vectorsAlong(groups);
  }
};

} // namespace systole

#endif // SYSTOLE_DIALECTS_KERNEL_LOOKUPSHAPE_H
