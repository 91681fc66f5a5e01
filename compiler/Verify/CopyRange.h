// The rows of VMEM, or words of SMEM, that a copy uses.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_VERIFY_COPYRANGE_H
#define SYSTOLE_COMPILER_VERIFY_COPYRANGE_H

#include "dialects/Machine/Program/Program.h"

#include <array>

namespace systole::verify {

/// Copies on one channel are done in the order in which they start.
enum class CopyChannel { hbm, local, toHost, fromHost };
CopyChannel channelOf(const program::Descriptor &descriptor);

/// Runs of `chunk` units at `base` and at all sums of up to three multiples of strides behind it.
/// Unknown ranges, and those in other memories, have no unit.
struct CopyRange {
  program::Space space = program::HBM;
  int64_t base = 0, chunk = 0;
  std::array<int64_t, 3> counts{1, 1, 1}, strides{0, 0, 0}; ///< the largest stride first

  bool operator==(const CopyRange &) const = default;
  auto operator<=>(const CopyRange &) const = default;

  bool isEmpty() const { return chunk == 0; }
  int64_t end() const;
  /// Whether there are too many runs to look at each.
  bool isLarge() const;
  /// Whether some of it may be in a region.
  bool isWithin(const program::Region &region) const {
    return !isEmpty() && space == region.space() && base < region.base() + region.size() &&
           region.base() < end();
  }
  bool contains(int64_t unit) const;
  /// Whether they have a unit in common; or may have, if there are more than a million runs, which
  /// no compiled program has.
  bool overlaps(const CopyRange &other) const;
};

/// One side of a copy from or to `address` of `region`; `count` replaces the innermost one unless
/// it is negative.
CopyRange rangeOf(const program::Descriptor &descriptor, bool isSource,
                  const program::Region &region, int64_t address, int64_t count);

} // namespace systole::verify

#endif // SYSTOLE_COMPILER_VERIFY_COPYRANGE_H
