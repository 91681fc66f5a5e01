// The dimensions of a copy within VMEM.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_COPYDIMS_H
#define SYSTOLE_COMPILER_MODEL_COPYDIMS_H

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/SmallVector.h"

namespace systole {

/// A dimension of the iterations: its size, and the lanes by which one step advances in source and
/// destination. A row-linear buffer is a linear sequence of lanes (128 per row), so this describes
/// a dimension completely.
struct CopyDim {
  int64_t size, src, dst;
  /// Whether steps are over whole rows on both sides: lanes do not change.
  bool isRow() const { return src % kLanes == 0 && dst % kLanes == 0; }
};

/// A total order of dimensions, by size first.
bool isShorter(const CopyDim &a, const CopyDim &b);

/// Merges dimensions that are contiguous on both sides.
void mergeDims(llvm::SmallVectorImpl<CopyDim> &dims);

/// The unroll limit: more copies of a loop's body take more instruction memory than static lanes
/// save in cycles.
inline constexpr int64_t maxUnrolledPositions = 16;

inline int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
inline int64_t ceilDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_COPYDIMS_H
