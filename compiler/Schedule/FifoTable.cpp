// The results that the FIFOs of a modulo schedule hold in each cycle.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/FifoTable.h"

#include <algorithm>
#include <cassert>

namespace systole::machine {

FifoTable::FifoTable(int32_t ii, const Limits &limits) : ii(ii) {
  assert(ii > 0 && "the initiation interval is positive");
  for (int q = 0; q < kQueues; ++q) {
    depths[size_t(q)] = queueDepth(limits, q);
    held[size_t(q)].assign(size_t(ii), 0);
  }
}

bool FifoTable::fits(const FifoInterval &interval, int32_t results) const {
  const auto &cycles = held[size_t(interval.queue)];
  int32_t length = interval.length();
  assert(interval.from >= 0 && length > 0 && "a result is popped after its push");
  // An interval longer than an iteration is in each cycle as often as it spans whole iterations,
  // and once more in the cycles of the rest.
  int32_t rest = length % ii, whole = length / ii * results;
  int32_t room = depths[size_t(interval.queue)] - whole;
  size_t at = size_t(interval.from % ii);
  for (int32_t c = 0; c < (whole > 0 ? ii : rest); ++c) {
    if (cycles[at] + (c < rest ? results : 0) > room)
      return false;
    at = at + 1 == cycles.size() ? 0 : at + 1;
  }
  return true;
}

void FifoTable::change(const FifoInterval &interval, int32_t results) {
  auto &cycles = held[size_t(interval.queue)];
  int32_t length = interval.length();
  assert(interval.from >= 0 && length > 0 && "a result is popped after its push");
  if (int32_t whole = length / ii * results)
    for (int32_t &n : cycles)
      n += whole;
  size_t at = size_t(interval.from % ii);
  for (int32_t c = length % ii; c > 0; --c) {
    cycles[at] += results;
    assert(cycles[at] >= 0 && "a result leaves a FIFO that it is in");
    at = at + 1 == cycles.size() ? 0 : at + 1;
  }
}

bool FifoTable::overlap(const FifoInterval &a, const FifoInterval &b) const {
  if (a.queue != b.queue)
    return false;
  int32_t distance = ((b.from - a.from) % ii + ii) % ii;
  return distance < a.length() || ii - distance < b.length();
}

bool FifoTable::holds() const {
  for (int q = 0; q < kQueues; ++q)
    if (std::any_of(held[size_t(q)].begin(), held[size_t(q)].end(),
                    [&](int32_t n) { return n > depths[size_t(q)]; }))
      return false;
  return true;
}

} // namespace systole::machine
