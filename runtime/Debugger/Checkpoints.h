// Snapshots of a run, from which any of its cycles is reached again.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_CHECKPOINTS_H
#define SYSTOLE_RUNTIME_DEBUGGER_CHECKPOINTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "runtime/Emulator/Snapshot.h"

namespace systole::debugger {

// Snapshots by cycle, within a budget of memory. The first one stays; of the others, while there
// are too many bytes, the one goes whose neighbours are closest together beside their distance from
// the present: the further back, the further apart.
class Checkpoints {
public:
  explicit Checkpoints(int64_t budget) : budget(budget) {}

  // `cycle` is the present, of which there is no snapshot yet. It is left out if it and the first
  // one take more than the budget.
  void add(int64_t cycle, Snapshot snapshot);
  // The last one at or before `cycle`, which the first one is; and that before it, if any.
  std::map<int64_t, Snapshot>::const_iterator before(int64_t cycle) const;
  std::optional<int64_t> cycleBefore(int64_t cycle) const;

  size_t count() const { return snapshots.size(); }
  bool contains(int64_t cycle) const { return snapshots.contains(cycle); }
  // Of this host: pages that several snapshots share count once.
  int64_t bytes() const { return used; }

private:
  void drop(std::map<int64_t, Snapshot>::iterator it);
  void thin(int64_t present);
  int64_t bytesBesideFirst(const Snapshot &snapshot) const;

  int64_t budget, used = 0;
  int64_t firstBytes = 0;
  std::unordered_set<const void *> firstPages;
  std::map<int64_t, Snapshot> snapshots;
  std::unordered_map<const void *, int> users; // by page
};

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_CHECKPOINTS_H
