// Snapshots of a run, from which any of its cycles is reached again.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Checkpoints.h"

#include <cassert>
#include <cstdlib>
#include <limits>
#include <utility>

namespace systole::debugger {

int64_t Checkpoints::bytesBesideFirst(const Snapshot &snapshot) const {
  auto bytes = int64_t(snapshot.stateBytes());
  snapshot.forEachPage([&](const void *page, size_t size) {
    if (!firstPages.contains(page))
      bytes += int64_t(size);
  });
  return bytes;
}

void Checkpoints::add(int64_t cycle, Snapshot snapshot) {
  assert(!contains(cycle) && "one snapshot of each cycle");
  if (snapshots.empty()) {
    snapshot.forEachPage([&](const void *page, size_t) { firstPages.insert(page); });
    firstBytes = bytesBesideFirst(snapshot);
    snapshot.forEachPage([&](const void *, size_t size) { firstBytes += int64_t(size); });
  } else if (firstBytes + bytesBesideFirst(snapshot) > budget) {
    return; // others are worth more
  }
  snapshot.forEachPage([&](const void *page, size_t bytes) {
    if (++users[page] == 1)
      used += int64_t(bytes);
  });
  used += int64_t(snapshot.stateBytes());
  snapshots.emplace(cycle, std::move(snapshot));
  thin(cycle);
}

void Checkpoints::drop(std::map<int64_t, Snapshot>::iterator it) {
  it->second.forEachPage([&](const void *page, size_t bytes) {
    if (auto known = users.find(page); --known->second == 0) {
      used -= int64_t(bytes);
      users.erase(known);
    }
  });
  used -= int64_t(it->second.stateBytes());
  snapshots.erase(it);
}

void Checkpoints::thin(int64_t present) {
  // Neither the first nor the present one, which fit together.
  while (used > budget && snapshots.size() > 2) {
    auto least = snapshots.end();
    double leastPrice = std::numeric_limits<double>::infinity();
    for (auto it = std::next(snapshots.begin()); it != snapshots.end(); ++it) {
      if (it->first == present)
        continue;
      auto next = std::next(it);
      const int64_t end = next == snapshots.end() ? it->first : next->first;
      const double gap = double(end - std::prev(it)->first);
      const double price = gap / double(std::abs(present - it->first) + 1);
      if (price < leastPrice) {
        leastPrice = price;
        least = it;
      }
    }
    drop(least);
  }
}

std::map<int64_t, Snapshot>::const_iterator Checkpoints::before(int64_t cycle) const {
  auto it = snapshots.upper_bound(cycle);
  assert(it != snapshots.begin() && "the first snapshot is of the beginning");
  return std::prev(it);
}

std::optional<int64_t> Checkpoints::cycleBefore(int64_t cycle) const {
  auto it = snapshots.lower_bound(cycle);
  return it == snapshots.begin() ? std::nullopt : std::optional(std::prev(it)->first);
}

} // namespace systole::debugger
