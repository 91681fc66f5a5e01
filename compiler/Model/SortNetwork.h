// The comparators of sorts in VMEM, and how many vectors they compare.
// See docs/decisions/sorting.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_SORTNETWORK_H
#define SYSTOLE_COMPILER_MODEL_SORTNETWORK_H

#include "dialects/Layout/MachineShape.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>

namespace systole {

/// Two slots, of which the first one gets what comes first.
using Comparator = std::pair<int, int>;

/// Sorts eight slots, in the fewest comparators (Knuth, The Art of Computer Programming, volume 3,
/// 5.3.4).
llvm::ArrayRef<Comparator> sorterOfEight();
/// Sorts eight slots that are bitonic: those at distances 4, 2 and 1.
llvm::ArrayRef<Comparator> mergerOfEight();

/// Whether eight rows of so many arrays are compared in registers, by a comparator of so many
/// instructions: its code is emitted for each pair.
bool sortsInRegisters(int64_t arrays, int64_t instructions);

/// Arrays [O, T, L] whose columns are sorted (`kernel.sort`).
struct SortShape {
  SortShape(llvm::ArrayRef<int64_t> shape, int64_t chunks)
      : rows(shape[0] * shape[1]), columnRows(shape[1]), lanes(shape[2]), chunks(chunks),
        groups((lanes + kLanes - 1) / kLanes), acrossGroups(groups % kSublanes == 0) {}

  int64_t rows;       ///< of all columns
  int64_t columnRows; ///< T
  int64_t lanes, chunks;
  int64_t groups;    ///< of 128 lanes
  bool acrossGroups; ///< a vector is one row of eight groups

  bool isEmpty() const { return rows == 0 || lanes == 0; }
  int64_t lanesOfChunk() const { return lanes / chunks; }
  int64_t rowsOfVector() const { return acrossGroups ? 1 : kSublanes; }
  /// Vectors of an array.
  int64_t vectors() const {
    return rows / rowsOfVector() * (acrossGroups ? groups / kSublanes : groups);
  }
};

/// How often each vector is loaded, compared with another one, and stored.
struct SortPasses {
  double eights = 0; ///< loops over eight rows, in all of which `comparators` compare two vectors
  double comparators = 0;
  double rows = 0;     ///< loops over pairs of rows
  double mirrored = 0; ///< over pairs of rows, whose lanes are exchanged
  double lanes = 0;    ///< over vectors, whose lanes are exchanged
};
SortPasses passesOf(const SortShape &shape, bool merge);

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_SORTNETWORK_H
