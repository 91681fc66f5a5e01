// Groups routines by the call of the entry that alone reaches them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Emit/CallGroups.h"

namespace systole::machine {

namespace {

/// Loops in more loops than these count once, so that sequences stay short.
constexpr int kMaxRepeatedLoops = 3;

/// Appends the calls from `begin` to `end`; `loops` are those of the entry, outer ones first.
void appendCalls(const std::vector<CallRange> &loops, size_t loop, uint32_t begin, uint32_t end,
                 int depth, std::vector<uint32_t> &sequence) {
  for (uint32_t call = begin; call < end;) {
    while (loop < loops.size() && loops[loop].begin < call)
      ++loop;
    if (loop == loops.size() || loops[loop].begin > call || loops[loop].end > end) {
      sequence.push_back(call++);
      continue;
    }
    const CallRange &range = loops[loop];
    for (int repeat = 0; repeat < (depth < kMaxRepeatedLoops ? 2 : 1); ++repeat)
      appendCalls(loops, loop + 1, range.begin, range.end, depth + 1, sequence);
    call = range.end;
  }
}

} // namespace

CallGroups::CallGroups(const Module &module, const std::vector<RoutineCode> &routines) {
  constexpr uint32_t unreached = kNone, several = kNone - 1;
  std::vector<uint32_t> groupOf(routines.size(), unreached);
  groupOf[module.main] = several;
  std::map<uint32_t, uint32_t> known;
  const RoutineCode &entry = routines[module.main];
  for (const CallSite &call : entry.calls) {
    auto [it, isNew] = known.try_emplace(call.callee, uint32_t(groups.size()));
    if (isNew)
      groups.push_back({call.callee, {}});
    groupOfCall.push_back(it->second);
    ++groups[it->second].calls;
  }
  appendCalls(entry.loops, 0, 0, uint32_t(entry.calls.size()), 0, sequence);

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

} // namespace systole::machine
