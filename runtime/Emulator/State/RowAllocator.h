// Addresses for arrays: ranges of rows that are free, and those given out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace systole::emulation {

struct RowRange {
  int64_t begin = 0, end = 0;
  int64_t rows() const { return end - begin; }
};

// Best fit: the smallest free range that has room. Time is logarithmic in the number of ranges.
class RowAllocator {
public:
  // Of ranges of one size the lowest or the highest one, and of a range its first or last rows.
  enum class End { Low, High };

  explicit RowAllocator(int64_t rows) {
    if (rows > 0)
      add({0, rows});
  }

  // Rows that were free, and the range of free ones that they were a part of; nothing if there are
  // not so many side by side.
  struct Taken {
    RowRange rows, from;
  };
  std::optional<Taken> allocate(int64_t rows, End end);
  // Gives back what `allocate` returned. Returns the range of free rows that it is in now.
  RowRange release(RowRange rows);

private:
  void add(RowRange range);
  void remove(RowRange range);

  std::map<int64_t, int64_t> free;             // the end of each range by its begin
  std::set<std::pair<int64_t, int64_t>> sizes; // and its begin by its number of rows
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H
