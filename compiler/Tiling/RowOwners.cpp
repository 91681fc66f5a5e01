// Whose contents the rows of a memory have.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Tiling/RowOwners.h"

#include <algorithm>
#include <iterator>

namespace systole {

void RowOwners::split(int64_t row) {
  auto it = runs.lower_bound(row);
  if (it == runs.begin())
    return;
  Run &before = std::prev(it)->second;
  if (before.end <= row)
    return;
  runs.emplace_hint(it, row, before);
  before.end = row;
}

void RowOwners::set(int64_t first, int64_t end, int32_t owner) {
  if (first >= end)
    return;
  split(first);
  split(end);
  runs.erase(runs.lower_bound(first), runs.lower_bound(end));
  runs[first] = {end, owner};
}

void RowOwners::setLater(int64_t first, int64_t end, int32_t owner) {
  split(first);
  split(end);
  for (auto it = runs.lower_bound(first); first < end; ++it) {
    const int64_t next = it == runs.end() ? end : std::min(end, it->first);
    if (first < next)
      it = runs.emplace_hint(it, first, Run{next, owner});
    else if (it->second.owner != owner)
      it->second.owner = kNobody;
    first = it->second.end;
  }
}

bool RowOwners::areAll(int64_t first, int64_t end, int32_t owner) const {
  auto it = runs.upper_bound(first);
  if (it != runs.begin())
    --it;
  for (; first < end; ++it) {
    if (it == runs.end() || it->first > first || it->second.end <= first ||
        it->second.owner != owner)
      return false;
    first = it->second.end;
  }
  return true;
}

void RowOwners::join(const RowOwners &other) {
  for (const auto &[first, run] : other.runs)
    setLater(first, run.end, run.owner);
}

} // namespace systole
