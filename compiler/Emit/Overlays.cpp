// Packs routines into overlays, in the order of calls in the entry.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include "compiler/Diagnostics/Debug.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#define DEBUG_TYPE "systole-overlays"

namespace systole::machine {

absl::StatusOr<std::vector<std::vector<uint32_t>>>
packOverlays(const Module &module, const std::vector<RoutineCode> &routines,
             int64_t memoryBundles) {
  assert(routines.size() == module.functions.size() && "the code of every routine");
  int64_t total = 0;
  for (const RoutineCode &r : routines)
    total += int64_t(r.bundles.size());
  std::vector<std::vector<uint32_t>> overlays(1);
  if (total <= memoryBundles) {
    for (uint32_t r = 0; r < routines.size(); ++r)
      overlays[0].push_back(r);
    return overlays;
  }
  // A group is a routine that the entry calls, with all that it reaches. Routines that several
  // groups reach are resident.
  constexpr uint32_t unreached = kNone, resident = kNone - 1;
  std::vector<uint32_t> group(routines.size(), unreached);
  std::vector<std::vector<uint32_t>> groups;
  group[module.main] = resident;
  std::vector<uint32_t> roots;
  for (const CallSite &call : routines[module.main].calls)
    if (std::find(roots.begin(), roots.end(), call.callee) == roots.end())
      roots.push_back(call.callee);
  for (uint32_t root : roots) {
    uint32_t g = uint32_t(groups.size());
    std::vector<uint32_t> members, work = {root};
    std::vector<bool> seen(routines.size(), false);
    while (!work.empty()) {
      uint32_t r = work.back();
      work.pop_back();
      if (seen[r])
        continue;
      seen[r] = true;
      group[r] = group[r] == unreached ? g : resident;
      members.push_back(r);
      for (const CallSite &call : routines[r].calls)
        work.push_back(call.callee);
    }
    groups.push_back(std::move(members));
  }
  // Unreached routines need no memory, but must belong to an overlay.
  int64_t residentSize = 0;
  for (uint32_t r = 0; r < routines.size(); ++r) {
    if (group[r] != resident)
      continue;
    overlays[0].push_back(r);
    residentSize += int64_t(routines[r].bundles.size());
  }
  // Each call from the entry gets an `overlay` instruction before it.
  residentSize += int64_t(routines[module.main].calls.size());
  int64_t room = memoryBundles - residentSize, used = 0;
  auto add = [&](const std::vector<uint32_t> &members, uint32_t root) -> absl::Status {
    int64_t size = 0;
    for (uint32_t r : members)
      size += int64_t(routines[r].bundles.size());
    if (size > room)
      return absl::ResourceExhaustedError(absl::StrCat(
          "routine @", module.functions[root].name, " takes ", size, " bundles beside ",
          residentSize, " that are always needed; the instruction memory holds ", memoryBundles));
    if (overlays.size() == 1 || used + size > room) {
      overlays.emplace_back();
      used = 0;
    }
    used += size;
    overlays.back().insert(overlays.back().end(), members.begin(), members.end());
    return absl::OkStatus();
  };
  for (uint32_t g = 0; g < groups.size(); ++g) {
    std::vector<uint32_t> members;
    for (uint32_t r : groups[g])
      if (group[r] == g)
        members.push_back(r);
    if (members.empty())
      continue;
    if (absl::Status s = add(members, groups[g][0]); !s.ok())
      return s;
  }
  for (uint32_t r = 0; r < routines.size(); ++r)
    if (group[r] == unreached)
      if (absl::Status s = add({r}, r); !s.ok())
        return s;
  assert(std::accumulate(overlays.begin(), overlays.end(), size_t(0),
                         [](size_t n, auto &overlay) { return n + overlay.size(); }) ==
             routines.size() &&
         "every routine is in one overlay");
  LLVM_DEBUG(llvm::dbgs() << total << " bundles, instruction memory holds " << memoryBundles << ": "
                          << residentSize << " resident, " << overlays.size() - 1 << " overlays\n");
  return overlays;
}

} // namespace systole::machine
