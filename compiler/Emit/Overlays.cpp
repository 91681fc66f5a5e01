// Packs routines into overlays, in the order of calls in the entry; some stay resident.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include "compiler/Diagnostics/Debug.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>

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
                InstructionMemory memory)
      : module(module), routines(routines), memoryBundles(memory.bundles),
        latencyBundles(memory.latencyBundles) {
    formGroups();
  }

  absl::StatusOr<std::vector<std::vector<uint32_t>>> run();

private:
  /// The overlay of each group, 0 for those that are resident.
  struct Packing {
    std::vector<size_t> overlayOf;
    size_t overlays = 0;
    /// That one run of the entry's calls loads, or could load while it waits for the first ones.
    int64_t bundles = 0;
  };
  /// The groups that are called directly before or behind one, and how often.
  using Neighbours = std::map<uint32_t, int64_t>;

  void formGroups();
  /// Of all ways to divide the groups, in the order of their first calls, into overlays, the one
  /// whose loads take the least time; nothing if a group does not fit. An overlay of more groups is
  /// loaded less often, and takes longer each time.
  std::optional<Packing> pack() const;
  std::vector<Neighbours> neighboursOf() const;
  int64_t residentBundles() const;
  void chooseResidents();

  const Module &module;
  const std::vector<RoutineCode> &routines;
  int64_t memoryBundles, latencyBundles;
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

std::optional<OverlayPacker::Packing> OverlayPacker::pack() const {
  std::vector<uint32_t> loaded;
  for (uint32_t g = 0; g < groups.size(); ++g)
    if (!groups[g].isResident && !groups[g].members.empty())
      loaded.push_back(g);
  std::vector<Neighbours> neighbours = neighboursOf();
  int64_t room = memoryBundles - residentBundles();

  // The best overlays of the first groups: what they load, and where the last of them begins.
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> bundles(loaded.size() + 1, none);
  std::vector<size_t> begins(loaded.size() + 1, 0);
  bundles[0] = 0;
  for (size_t end = 1; end <= loaded.size(); ++end) {
    int64_t size = 0, loads = 0;
    for (size_t begin = end; begin-- > 0;) {
      const Group &group = groups[loaded[begin]];
      size += group.size;
      if (size > room)
        break;
      // Calls between two of one overlay load nothing.
      loads += group.calls;
      for (auto [other, count] : neighbours[loaded[begin]])
        loads -= other >= loaded[begin] && other <= loaded[end - 1] ? count : 0;
      if (bundles[begin] == none)
        continue;
      int64_t all = bundles[begin] + loads * (latencyBundles + size);
      if (all < bundles[end]) {
        bundles[end] = all;
        begins[end] = begin;
      }
    }
  }
  if (bundles.back() == none)
    return std::nullopt;
  Packing packing = {std::vector<size_t>(groups.size(), 0), 0, bundles.back()};
  std::vector<size_t> ends;
  for (size_t end = loaded.size(); end > 0; end = begins[end])
    ends.push_back(end);
  for (size_t end : llvm::reverse(ends)) {
    ++packing.overlays;
    for (size_t place = begins[end]; place < end; ++place)
      packing.overlayOf[loaded[place]] = packing.overlays;
  }
  return packing;
}

std::vector<OverlayPacker::Neighbours> OverlayPacker::neighboursOf() const {
  std::vector<Neighbours> neighbours(groups.size());
  std::optional<uint32_t> previous;
  for (uint32_t g : sequence) {
    if (groups[g].isResident || groups[g].members.empty())
      continue;
    if (previous) {
      ++neighbours[*previous][g];
      if (g != *previous)
        ++neighbours[g][*previous];
    }
    previous = g;
  }
  return neighbours;
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
  auto bundlesOf = [](const std::optional<Packing> &packing) {
    return packing ? packing->bundles : std::numeric_limits<int64_t>::max();
  };
  int64_t least = bundlesOf(pack());
  for (size_t g : order) {
    groups[g].isResident = true;
    int64_t bundles = bundlesOf(pack());
    groups[g].isResident = bundles < least;
    least = std::min(least, bundles);
  }
}

absl::StatusOr<std::vector<std::vector<uint32_t>>> OverlayPacker::run() {
  chooseResidents();
  int64_t resident = residentBundles();
  std::optional<Packing> packing = pack();
  if (!packing) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
      return group.size > memoryBundles - resident;
    });
    const Function &root = module.functions[group->root];
    std::string source = root.loc == kNone ? "" : absl::StrCat(" of ", module.sources[root.loc]);
    return absl::ResourceExhaustedError(absl::StrCat(
        "routine @", root.name, source, " takes ", group->size, " bundles beside ", resident,
        " that are always needed; the instruction memory holds ", memoryBundles));
  }
  std::vector<std::vector<uint32_t>> overlays(packing->overlays + 1);
  overlays.front() = shared;
  for (size_t g = 0; g < groups.size(); ++g) {
    std::vector<uint32_t> &overlay = overlays[packing->overlayOf[g]];
    overlay.insert(overlay.end(), groups[g].members.begin(), groups[g].members.end());
  }
  LLVM_DEBUG(llvm::dbgs() << "instruction memory holds " << memoryBundles
                          << " bundles: " << resident << " resident, " << packing->overlays
                          << " overlays, " << packing->bundles << " loaded\n");
  return overlays;
}

} // namespace

absl::StatusOr<std::vector<std::vector<uint32_t>>>
packOverlays(const Module &module, const std::vector<RoutineCode> &routines,
             InstructionMemory memory) {
  assert(routines.size() == module.functions.size() && "the code of every routine");
  int64_t total = 0;
  for (const RoutineCode &r : routines)
    total += int64_t(r.bundles.size());
  if (total > memory.bundles)
    return OverlayPacker(module, routines, memory).run();
  std::vector<std::vector<uint32_t>> overlays(1);
  for (uint32_t r = 0; r < routines.size(); ++r)
    overlays[0].push_back(r);
  return overlays;
}

} // namespace systole::machine
