// Places routines in the instruction memory, and begins their loads before they are called.
// See docs/decisions/instruction-memory.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/Overlays.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Emit/CallGroups.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#define DEBUG_TYPE "systole-overlays"

namespace systole::machine {

namespace {

/// Calls after a call among which the next one of an overlay is looked for. Those that are further
/// away are found by the calls in between.
constexpr size_t kMaxLookAhead = 8;

class OverlayPlanner {
public:
  OverlayPlanner(const Module &module, const std::vector<RoutineCode> &routines,
                 InstructionMemory memory, bool startsEarly)
      : module(module), routines(routines), memory(memory), startsEarly(startsEarly),
        code(module, routines), isResident(code.groups.size(), false),
        addresses(code.groups.size(), 0) {
    for (size_t g = 0; g < code.groups.size(); ++g)
      isResident[g] = code.groups[g].members.empty();
    for (const CallSite &call : routines[module.main].calls)
      estimates.push_back(estimateOf(call));
  }

  /// False if a group does not fit.
  bool run();
  OverlayPlan plan() const;
  absl::Status tooLarge() const;

private:
  static constexpr double kDoesNotFit = std::numeric_limits<double>::infinity();

  int64_t estimateOf(const CallSite &call) const {
    int32_t kernel = call.kernel >= 0 ? call.kernel : module.functions[call.callee].kernel;
    return kernel >= 0 ? module.kernels[size_t(kernel)].estimate : 0;
  }
  int64_t residentBundles() const;
  bool overlap(uint32_t a, uint32_t b) const {
    return addresses[a] < addresses[b] + code.groups[b].size &&
           addresses[b] < addresses[a] + code.groups[a].size;
  }
  bool place();
  void chooseStarts();
  double runCycles() const;
  /// Cycles that waiting for overlays and loading them takes, with those that are resident now.
  double cost();

  const Module &module;
  const std::vector<RoutineCode> &routines;
  InstructionMemory memory;
  bool startsEarly;
  CallGroups code;
  std::vector<bool> isResident;   // by group
  std::vector<int64_t> addresses; // by group
  std::vector<int64_t> estimates; // cycles, by call
  std::vector<uint32_t> starts;   // by call: the group, or kNone
};

int64_t OverlayPlanner::residentBundles() const {
  // Before each call of the entry there is an `overlay`, and perhaps an `overlay.start`.
  int64_t size = int64_t(estimates.size()) * (startsEarly ? 2 : 1);
  for (uint32_t r : code.shared)
    size += int64_t(routines[r].bundles.size());
  for (size_t g = 0; g < code.groups.size(); ++g)
    size += isResident[g] ? code.groups[g].size : 0;
  return size;
}

bool OverlayPlanner::place() {
  const int64_t first = residentBundles();
  int64_t next = first;
  for (size_t g = 0; g < code.groups.size(); ++g) {
    const CallGroup &group = code.groups[g];
    if (isResident[g])
      continue;
    if (group.size > memory.bundles - first)
      return false;
    if (next + group.size > memory.bundles)
      next = first;
    addresses[g] = next;
    next += group.size;
  }
  return true;
}

void OverlayPlanner::chooseStarts() {
  starts.assign(estimates.size(), kNone);
  std::vector<bool> isChosen(estimates.size(), !startsEarly);
  for (size_t at = 0; at < code.sequence.size(); ++at) {
    const uint32_t call = code.sequence[at], running = code.groupOfCall[call];
    if (isChosen[call])
      continue;
    isChosen[call] = true;
    for (size_t next = at + 1; next < std::min(at + 1 + kMaxLookAhead, code.sequence.size());
         ++next) {
      uint32_t group = code.groupOfCall[code.sequence[next]];
      if (isResident[group] || group == running)
        continue;
      if (isResident[running] || !overlap(group, running))
        starts[call] = group;
      break;
    }
  }
}

double OverlayPlanner::runCycles() const {
  std::vector<double> arrival(code.groups.size(), -1); // of overlays that are or will be there
  std::vector<uint32_t> present;
  double now = 0, free = 0, waits = 0, loaded = 0;
  auto load = [&](uint32_t group) {
    if (arrival[group] >= 0)
      return;
    llvm::erase_if(present, [&](uint32_t other) {
      if (!overlap(group, other))
        return false;
      arrival[other] = -1;
      return true;
    });
    present.push_back(group);
    const auto size = double(code.groups[group].size);
    free = std::max(free, now + double(memory.latency)) + size * memory.cycles;
    arrival[group] = free;
    loaded += size;
  };
  for (uint32_t call : code.sequence) {
    if (uint32_t group = code.groupOfCall[call]; !isResident[group]) {
      load(group);
      double wait = std::max(0.0, arrival[group] - now);
      waits += wait;
      now += wait;
    }
    if (starts[call] != kNone)
      load(starts[call]);
    now += double(estimates[call]);
  }
  return waits + loaded * memory.channelCycles;
}

double OverlayPlanner::cost() {
  if (!place())
    return kDoesNotFit;
  chooseStarts();
  return runCycles();
}

/// A routine that is called in several places may be loaded before each of them: those for which it
/// pays stay in the memory, the smallest for their calls first.
bool OverlayPlanner::run() {
  std::vector<size_t> order;
  for (size_t g = 0; g < code.groups.size(); ++g)
    if (code.groups[g].calls > 1 && !isResident[g])
      order.push_back(g);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return code.groups[a].size * code.groups[b].calls < code.groups[b].size * code.groups[a].calls;
  });
  double least = cost();
  for (size_t g : order) {
    isResident[g] = true;
    double cycles = cost();
    isResident[g] = cycles < least;
    least = std::min(least, cycles);
  }
  const double cycles = cost();
  LLVM_DEBUG(llvm::dbgs() << "instruction memory holds " << memory.bundles
                          << " bundles: " << residentBundles() << " resident, " << cycles
                          << " cycles of waits and loads\n");
  return cycles != kDoesNotFit;
}

OverlayPlan OverlayPlanner::plan() const {
  OverlayPlan plan;
  plan.overlays.push_back({code.shared, 0});
  std::vector<int32_t> overlayOf(code.groups.size(), 0);
  for (size_t g = 0; g < code.groups.size(); ++g) {
    const CallGroup &group = code.groups[g];
    if (isResident[g]) {
      llvm::append_range(plan.overlays.front().routines, group.members);
      continue;
    }
    overlayOf[g] = int32_t(plan.overlays.size());
    plan.overlays.push_back({group.members, addresses[g]});
    plan.uses.overlayOf[group.root] = overlayOf[g];
  }
  for (uint32_t group : starts)
    plan.uses.starts.push_back(group == kNone ? 0 : overlayOf[group]);
  return plan;
}

absl::Status OverlayPlanner::tooLarge() const {
  const int64_t resident = residentBundles();
  for (size_t g = 0; g < code.groups.size(); ++g) {
    const CallGroup &group = code.groups[g];
    if (isResident[g] || group.size <= memory.bundles - resident)
      continue;
    const Function &root = module.functions[group.root];
    std::string source = root.loc == kNone ? "" : absl::StrCat(" of ", module.sources[root.loc]);
    return absl::ResourceExhaustedError(absl::StrCat(
        "routine @", root.name, source, " takes ", group.size, " bundles beside ", resident,
        " that are always needed; the instruction memory holds ", memory.bundles));
  }
  llvm_unreachable("every group fits");
}

} // namespace

absl::StatusOr<OverlayPlan> planOverlays(const Module &module,
                                         const std::vector<RoutineCode> &routines,
                                         InstructionMemory memory, bool startsEarly) {
  assert(routines.size() == module.functions.size() && "the code of every routine");
  int64_t total = 0;
  for (const RoutineCode &r : routines)
    total += int64_t(r.bundles.size());
  if (total <= memory.bundles) {
    OverlayPlan plan;
    plan.overlays.emplace_back();
    for (uint32_t r = 0; r < routines.size(); ++r)
      plan.overlays.front().routines.push_back(r);
    return plan;
  }
  OverlayPlanner early(module, routines, memory, /*startsEarly=*/true);
  if (startsEarly && early.run())
    return early.plan();
  // An entry of very many calls may leave too little memory for loads that begin early.
  OverlayPlanner late(module, routines, memory, /*startsEarly=*/false);
  if (late.run())
    return late.plan();
  return late.tooLarge();
}

} // namespace systole::machine
