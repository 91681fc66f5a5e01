// Division and merging of free ranges.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/RowAllocator.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace systole::emulation {

std::optional<int64_t> RowAllocator::allocate(int64_t rows, End end) {
  assert(rows > 0 && "a range has rows");
  auto hasRoom = [&](const auto &range) { return range.second >= rows; };
  if (end == End::Low) {
    const auto range = std::find_if(free.begin(), free.end(), hasRoom);
    if (range == free.end())
      return std::nullopt;
    const auto [base, count] = *range;
    free.erase(range);
    if (count > rows)
      free.emplace(base + rows, count - rows);
    return base;
  }
  const auto range = std::find_if(free.rbegin(), free.rend(), hasRoom);
  if (range == free.rend())
    return std::nullopt;
  const auto [base, count] = *range;
  if (count > rows)
    free[base] = count - rows;
  else
    free.erase(base);
  return base + count - rows;
}

void RowAllocator::release(int64_t base, int64_t rows) {
  auto next = free.lower_bound(base);
  assert((next == free.end() || base + rows <= next->first) && "rows are given back once");
  if (next != free.begin()) {
    const auto before = std::prev(next);
    assert(before->first + before->second <= base && "rows are given back once");
    if (before->first + before->second == base) {
      base = before->first;
      rows += before->second;
      free.erase(before);
    }
  }
  if (next != free.end() && base + rows == next->first) {
    rows += next->second;
    free.erase(next);
  }
  free.emplace(base, rows);
}

} // namespace systole::emulation
