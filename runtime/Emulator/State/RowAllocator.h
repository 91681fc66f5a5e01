// Addresses for arrays: ranges of rows that are free, and those given out.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H
#define SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H

#include <cstdint>
#include <map>
#include <optional>

namespace systole::emulation {

// First fit, from either end.
class RowAllocator {
public:
  enum class End { Low, High };

  explicit RowAllocator(int64_t rows) {
    if (rows > 0)
      free.emplace(0, rows);
  }

  // The first of `rows` free rows, nearest to an end; nothing if there are not so many side by
  // side.
  std::optional<int64_t> allocate(int64_t rows, End end);
  // Gives back what `allocate` returned.
  void release(int64_t base, int64_t rows);

private:
  std::map<int64_t, int64_t> free; // the first row of each range, and its number of rows
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_STATE_ROWALLOCATOR_H
