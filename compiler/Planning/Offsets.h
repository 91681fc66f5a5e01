// Places in one memory for buffers whose lifetimes are known.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_OFFSETS_H
#define SYSTOLE_COMPILER_PLANNING_OFFSETS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace systole {

/// A buffer that is live from `begin` to `end`, both included.
struct LiveBuffer {
  int64_t size = 0, begin = 0, end = 0;
  /// Shares nothing with others of this kind, whatever their times.
  bool isSeparate = false;
  int64_t offset = 0; ///< set by `assignOffsets`
};

/// Gives each buffer a place that no other one has at the same time; returns what all of them take.
/// Of several orders of placing them the first one that takes least. Where that is more than
/// `capacity`, and what is live is not, buffers that ended beyond it are placed before the others.
int64_t assignOffsets(llvm::MutableArrayRef<LiveBuffer> buffers, int64_t capacity = INT64_MAX);

/// The most that is live at one time, which no assignment can do without.
int64_t mostLive(llvm::ArrayRef<LiveBuffer> buffers);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_OFFSETS_H
