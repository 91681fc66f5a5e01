// Breakpoints of a user, and runs from one to the next.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_BREAKPOINTS_H
#define SYSTOLE_RUNTIME_DEBUGGER_BREAKPOINTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Debugger/Condition.h"
#include "runtime/Debugger/Session.h"

namespace systole::debugger {

// Where the user wants the run to stop: before bundles, or behind accesses to words.
struct Breakpoint {
  int number = 0;
  std::string text; // as it was given
  std::vector<int64_t> bundles;
  std::vector<WatchedWords> words;
  std::optional<Condition> condition;
  int64_t hits = 0;    // at which the condition held
  int64_t ignored = 0; // of its next hits, those at which the run goes on
};

// Why a run has stopped, and the numbers of the breakpoints at which it has.
struct BreakpointStop {
  Stop stop;
  std::vector<int> numbers = {};
};

// Runs to the next breakpoint whose condition holds and that is not ignored, or to the end or a
// trap. With `atPresent` the present state counts, too.
absl::StatusOr<BreakpointStop> runOn(Session &session, std::vector<Breakpoint> &breakpoints,
                                     bool atPresent = false);
// Runs back to the last one whose condition holds, or to the start. Hits do not count.
absl::StatusOr<BreakpointStop> runBack(Session &session, std::vector<Breakpoint> &breakpoints);

// Words to watch: the program's tensors, their elements, or words of a memory. InvalidArgument as
// wordsOf(), OutOfRange if the memory does not have them.
absl::StatusOr<std::vector<WatchedWords>> watchedWords(const Session &session,
                                                       absl::string_view text, bool reads);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_BREAKPOINTS_H
