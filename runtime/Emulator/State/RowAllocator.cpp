// Division and merging of free ranges.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/State/RowAllocator.h"

#include <cassert>
#include <iterator>

namespace systole::emulation {

void RowAllocator::add(RowRange range) {
  if (range.rows() == 0)
    return;
  free.emplace(range.begin, range.end);
  sizes.emplace(range.rows(), range.begin);
}

void RowAllocator::remove(RowRange range) {
  free.erase(range.begin);
  sizes.erase({range.rows(), range.begin});
}

std::optional<RowAllocator::Taken> RowAllocator::allocate(int64_t rows, End end) {
  assert(rows > 0 && "a range has rows");
  auto best = sizes.lower_bound({rows, 0});
  if (best == sizes.end())
    return std::nullopt;
  // The last one of its size.
  if (end == End::High)
    best = std::prev(sizes.lower_bound({best->first + 1, 0}));
  const RowRange from{best->second, best->second + best->first};
  const RowRange taken = end == End::Low ? RowRange{from.begin, from.begin + rows}
                                         : RowRange{from.end - rows, from.end};
  remove(from);
  add({from.begin, taken.begin});
  add({taken.end, from.end});
  return Taken{taken, from};
}

RowRange RowAllocator::release(RowRange rows) {
  const auto next = free.lower_bound(rows.begin);
  RowRange merged = rows;
  if (next != free.begin()) {
    const RowRange before{std::prev(next)->first, std::prev(next)->second};
    assert(before.end <= rows.begin && "rows are given back once");
    if (before.end == rows.begin)
      merged.begin = before.begin;
  }
  if (next != free.end()) {
    const RowRange behind{next->first, next->second};
    assert(rows.end <= behind.begin && "rows are given back once");
    if (behind.begin == rows.end)
      merged.end = behind.end;
  }
  if (merged.begin < rows.begin)
    remove({merged.begin, rows.begin});
  if (merged.end > rows.end)
    remove({rows.end, merged.end});
  add(merged);
  return merged;
}

} // namespace systole::emulation
