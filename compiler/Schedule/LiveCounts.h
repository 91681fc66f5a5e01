// The values that are live in each cycle of a modulo schedule.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LIVECOUNTS_H
#define SYSTOLE_COMPILER_SCHEDULE_LIVECOUNTS_H

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::machine {

/// Counts values by the cycles in which they become and cease to be live, of all iterations
/// together, which begin `ii` cycles apart.
class LiveCounts {
public:
  explicit LiveCounts(int32_t ii) : ii(ii), changes(size_t(ii) + 1, 0) {}

  /// A value that is live from cycle `begin` of its iteration up to `end`.
  void add(int32_t begin, int32_t end) {
    assert(begin >= 0 && end >= begin && "a value dies after it is made");
    always += (end - begin) / ii;
    const int32_t first = begin % ii, behind = first + (end - begin) % ii;
    ++changes[size_t(first)];
    --changes[size_t(std::min(behind, ii))];
    if (behind > ii) {
      ++changes[0];
      --changes[size_t(behind - ii)];
    }
  }

  /// The values that are live in the cycle with the most.
  int32_t most() const {
    int32_t live = 0, most = 0;
    for (int32_t cycle = 0; cycle < ii; ++cycle)
      most = std::max(most, live += changes[size_t(cycle)]);
    return always + most;
  }

private:
  int32_t ii;
  int32_t always = 0;           // in every cycle
  std::vector<int32_t> changes; // of the others, at each cycle
};

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LIVECOUNTS_H
