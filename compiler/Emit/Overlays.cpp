// Packs routines into overlays, in the order of calls in the entry; some stay resident.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include "compiler/Diagnostics/Debug.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

#define DEBUG_TYPE "systole-overlays"

namespace systole::machine {

namespace {

/// A routine that the entry calls, with all that it alone reaches.
struct Group {
  uint32_t root;
  std::vector<uint32_t> members;
  int64_t size = 0; // bundles
  int64_t calls = 0;
  bool isResident = false;
};

class OverlayPacker {
public:
  OverlayPacker(const Module &module, const std::vector<RoutineCode> &routines,
                int64_t memoryBundles)
      : module(module), routines(routines), memoryBundles(memoryBundles) {
    formGroups();
  }

  absl::StatusOr<std::vector<std::vector<uint32_t>>> run();

private:
  void formGroups();
  /// The overlay of each group, 0 for those that are resident; nothing if one does not fit.
  std::vector<size_t> pack() const;
  int64_t residentBundles() const;
  int64_t loadedBundles() const;
  void chooseResidents();

  const Module &module;
  const std::vector<RoutineCode> &routines;
  int64_t memoryBundles;
  std::vector<Group> groups;
  std::vector<uint32_t> sequence; // groups, as the entry calls them
  std::vector<uint32_t> shared;   // routines that several groups reach, the entry first
};

void OverlayPacker::formGroups() {
  constexpr uint32_t unreached = kNone, several = kNone - 1;
  std::vector<uint32_t> groupOf(routines.size(), unreached);
  groupOf[module.main] = several;
  std::map<uint32_t, uint32_t> known;
  for (const CallSite &call : routines[module.main].calls) {
    auto [it, isNew] = known.try_emplace(call.callee, uint32_t(groups.size()));
    if (isNew)
      groups.push_back({call.callee, {}});
    sequence.push_back(it->second);
    ++groups[it->second].calls;
  }
  std::vector<std::vector<uint32_t>> reached(groups.size());
  for (uint32_t g = 0; g < groups.size(); ++g) {
    std::vector<uint32_t> work = {groups[g].root};
    std::vector<bool> seen(routines.size(), false);
    while (!work.empty()) {
      uint32_t r = work.back();
      work.pop_back();
      if (seen[r])
        continue;
      seen[r] = true;
      groupOf[r] = groupOf[r] == unreached ? g : several;
      reached[g].push_back(r);
      for (const CallSite &call : routines[r].calls)
        work.push_back(call.callee);
    }
  }
  // Unreached routines need no memory, but must belong to an overlay.
  for (uint32_t r = 0; r < routines.size(); ++r) {
    if (groupOf[r] == several)
      shared.push_back(r);
    else if (groupOf[r] == unreached) {
      groups.push_back({r, {}});
      reached.push_back({r});
      groupOf[r] = uint32_t(groups.size()) - 1;
    }
  }
  for (uint32_t g = 0; g < groups.size(); ++g)
    for (uint32_t r : reached[g])
      if (groupOf[r] == g) {
        groups[g].members.push_back(r);
        groups[g].size += int64_t(routines[r].bundles.size());
      }
}

int64_t OverlayPacker::residentBundles() const {
  // Each call from the entry gets an `overlay` instruction before it.
  int64_t size = int64_t(routines[module.main].calls.size());
  for (uint32_t r : shared)
    size += int64_t(routines[r].bundles.size());
  for (const Group &group : groups)
    size += group.isResident ? group.size : 0;
  return size;
}

std::vector<size_t> OverlayPacker::pack() const {
  int64_t room = memoryBundles - residentBundles(), used = 0;
  std::vector<size_t> overlayOf(groups.size(), 0);
  size_t last = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].isResident || groups[g].members.empty())
      continue;
    if (groups[g].size > room)
      return {};
    if (last == 0 || used + groups[g].size > room) {
      ++last;
      used = 0;
    }
    used += groups[g].size;
    overlayOf[g] = last;
  }
  return overlayOf;
}

/// Bundles that one run of the entry's calls, in their order, loads.
int64_t OverlayPacker::loadedBundles() const {
  std::vector<size_t> overlayOf = pack();
  if (overlayOf.size() != groups.size())
    return std::numeric_limits<int64_t>::max();
  std::vector<int64_t> size(groups.size() + 1, 0);
  for (size_t g = 0; g < groups.size(); ++g)
    size[overlayOf[g]] += groups[g].size;
  int64_t loaded = 0;
  size_t current = 0;
  for (uint32_t g : sequence)
    if (overlayOf[g] != 0 && overlayOf[g] != current) {
      current = overlayOf[g];
      loaded += size[current];
    }
  return loaded;
}

/// A routine that is called in several places makes each of them load an overlay, and the next one
/// load its own again: those for which it pays stay in the memory, the smallest for their calls
/// first.
void OverlayPacker::chooseResidents() {
  std::vector<size_t> order;
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].calls > 1 && !groups[g].members.empty())
      order.push_back(g);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return groups[a].size * groups[b].calls < groups[b].size * groups[a].calls;
  });
  int64_t least = loadedBundles();
  for (size_t g : order) {
    groups[g].isResident = true;
    int64_t loaded = loadedBundles();
    groups[g].isResident = loaded < least;
    least = std::min(least, loaded);
  }
}

absl::StatusOr<std::vector<std::vector<uint32_t>>> OverlayPacker::run() {
  chooseResidents();
  int64_t resident = residentBundles();
  std::vector<size_t> overlayOf = pack();
  if (overlayOf.size() != groups.size()) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
      return group.size > memoryBundles - resident;
    });
    return absl::ResourceExhaustedError(absl::StrCat(
        "routine @", module.functions[group->root].name, " takes ", group->size, " bundles beside ",
        resident, " that are always needed; the instruction memory holds ", memoryBundles));
  }
  std::vector<std::vector<uint32_t>> overlays = {shared};
  for (size_t g = 0; g < groups.size(); ++g) {
    overlays.resize(std::max(overlays.size(), overlayOf[g] + 1));
    std::vector<uint32_t> &overlay = overlays[overlayOf[g]];
    overlay.insert(overlay.end(), groups[g].members.begin(), groups[g].members.end());
  }
  LLVM_DEBUG(llvm::dbgs() << "instruction memory holds " << memoryBundles
                          << " bundles: " << resident << " resident, " << overlays.size() - 1
                          << " overlays, " << loadedBundles() << " loaded\n");
  return overlays;
}

} // namespace

absl::StatusOr<std::vector<std::vector<uint32_t>>>
packOverlays(const Module &module, const std::vector<RoutineCode> &routines,
             int64_t memoryBundles) {
  assert(routines.size() == module.functions.size() && "the code of every routine");
  int64_t total = 0;
  for (const RoutineCode &r : routines)
    total += int64_t(r.bundles.size());
  if (total > memoryBundles)
    return OverlayPacker(module, routines, memoryBundles).run();
  std::vector<std::vector<uint32_t>> overlays(1);
  for (uint32_t r = 0; r < routines.size(); ++r)
    overlays[0].push_back(r);
  return overlays;
}

} // namespace systole::machine
