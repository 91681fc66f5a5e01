// Breakpoints of a user, and runs from one to the next.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Breakpoints.h"

#include "runtime/Debugger/Operand.h"
#include "llvm/ADT/STLExtras.h"

namespace systole::debugger {

// The points of all breakpoints, by whose numbers accesses to their words are told.
static PausePoints pointsOf(const Session &session, const std::vector<Breakpoint> &breakpoints) {
  PausePoints points;
  for (const Breakpoint &breakpoint : breakpoints) {
    if (!breakpoint.bundles.empty())
      points.bundles.resize(session.emulator().program().code.size());
    for (int64_t bundle : breakpoint.bundles)
      points.bundles[size_t(bundle)] = true;
    for (WatchedWords words : breakpoint.words) {
      words.owner = breakpoint.number;
      points.words.push_back(words);
    }
  }
  return points;
}

// The cores that are at a breakpoint.
static std::vector<int> coresAt(const Session &session, const Breakpoint &breakpoint,
                                const Stop &stop) {
  std::vector<int> cores;
  for (int core = 0; core < coresOf(session); ++core) {
    const ProgramPoint point = session.emulator().core(core).point();
    const bool isThere = !point.hasHalted && !point.isWaiting && point.cycle == session.cycle() &&
                         llvm::is_contained(breakpoint.bundles, point.bundle);
    const bool hasHit = llvm::any_of(stop.hits, [&](const WatchHit &hit) {
      return hit.owner == breakpoint.number && hit.core == core;
    });
    if (isThere || hasHit)
      cores.push_back(core);
  }
  return cores;
}

// The breakpoints at which the run has stopped and is to stay. The first core at one, for which its
// condition holds, is then the one in view.
static absl::StatusOr<std::vector<int>>
hitAt(Session &session, std::vector<Breakpoint> &breakpoints, const Stop &stop, bool isForwards) {
  std::vector<int> numbers;
  std::optional<int> first;
  const int view = session.chosenCore();
  for (Breakpoint &breakpoint : breakpoints) {
    std::optional<int> found;
    for (const int core : coresAt(session, breakpoint, stop)) {
      absl::StatusOr<bool> holds = true;
      session.chooseCore(core); // whose variables the condition has
      if (breakpoint.condition)
        holds = breakpoint.condition->holds(session.emulator(), core);
      if (!holds.ok())
        return holds.status();
      if (*holds && (!found || core == view))
        found = core;
    }
    if (!found)
      continue;
    breakpoint.hits += isForwards;
    if (isForwards && breakpoint.ignored > 0) {
      --breakpoint.ignored;
      continue;
    }
    numbers.push_back(breakpoint.number);
    if (!first)
      first = found;
  }
  session.chooseCore(first.value_or(view));
  return numbers;
}

absl::StatusOr<BreakpointStop> runOn(Session &session, std::vector<Breakpoint> &breakpoints,
                                     bool atPresent) {
  const PausePoints points = pointsOf(session, breakpoints);
  absl::StatusOr<Stop> stop = Stop{Stop::Kind::Point};
  for (;; stop = session.run(points)) {
    if (!stop.ok())
      return stop.status();
    if (stop->kind != Stop::Kind::Point)
      return BreakpointStop{*stop};
    if (!std::exchange(atPresent, true))
      continue;
    absl::StatusOr<std::vector<int>> numbers =
        hitAt(session, breakpoints, *stop, /*isForwards=*/true);
    if (!numbers.ok())
      return numbers.status();
    if (!numbers->empty())
      return BreakpointStop{*stop, *std::move(numbers)};
  }
}

absl::StatusOr<BreakpointStop> runBack(Session &session, std::vector<Breakpoint> &breakpoints) {
  const PausePoints points = pointsOf(session, breakpoints);
  for (;;) {
    absl::StatusOr<Stop> stop = session.runBack(points);
    if (!stop.ok())
      return stop.status();
    if (stop->kind != Stop::Kind::Point)
      return BreakpointStop{*stop};
    absl::StatusOr<std::vector<int>> numbers =
        hitAt(session, breakpoints, *stop, /*isForwards=*/false);
    if (!numbers.ok())
      return numbers.status();
    if (!numbers->empty())
      return BreakpointStop{*stop, *std::move(numbers)};
  }
}

absl::StatusOr<std::vector<WatchedWords>> watchedWords(const Session &session,
                                                       absl::string_view text, bool reads) {
  absl::StatusOr<std::vector<WatchedWords>> words = wordsOf(session.emulator().program(), text);
  if (!words.ok())
    return words;
  for (WatchedWords &range : *words) {
    uint32_t last;
    if (absl::Status status = session.core().read(range.space, range.first + range.count - 1,
                                                  absl::MakeSpan(&last, 1));
        !status.ok())
      return status;
    range.reads = reads;
    range.writes = true;
  }
  return words;
}

} // namespace systole::debugger
