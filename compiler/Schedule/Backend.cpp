// Schedules the routines of a module, several at once.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Schedule/Backend.h"

#include "compiler/Diagnostics/Debug.h"
#include "compiler/Schedule/Routine.h"
#include "compiler/Schedule/ScheduleVerifier.h"
#include "compiler/Schedule/WorkerThreads.h"

#include <algorithm>
#include <mutex>

#define DEBUG_TYPE "systole-backend"

namespace systole::machine {

/// Schedules routines, of which none depends on another's schedule, with a thread for each
/// processor.
static absl::Status runRoutines(const Module &module, std::span<Function *const> routines,
                                const Limits &limits, int64_t room, const BackendOptions &options,
                                Statistics &statistics) {
  std::vector<absl::Status> statuses(routines.size());
  std::vector<Statistics> counted(routines.size());
  std::mutex polling;
  bool isCancelled = false;
  auto poll = [&] {
    std::lock_guard lock(polling);
    return isCancelled = isCancelled || (options.isCancelled && options.isCancelled());
  };
  auto run = [&](size_t number) {
    statuses[number] =
        poll() ? absl::CancelledError("scheduling was cancelled")
               : runRoutine(module, *routines[number], limits, room, options, counted[number]);
  };
  std::vector<int64_t> lengths;
  for (const Function *f : routines)
    lengths.push_back(countInstructions(*f));
  // Debug output is in order.
  bool inOrder = false;
  LLVM_DEBUG(inOrder = true);
  runOnThreads(lengths, run, inOrder);
  for (const Statistics &one : counted)
    statistics.merge(one);
  auto failed = std::find_if(statuses.begin(), statuses.end(),
                             [](const absl::Status &status) { return !status.ok(); });
  return failed == statuses.end() ? absl::OkStatus() : *failed;
}

absl::Status runBackend(Module &module, const Limits &limits, const BackendOptions &options,
                        Statistics &statistics) {
  for (const Function &f : module.functions)
    if (absl::Status s = verifyFunction(module, f); !s.ok())
      return s;
  int64_t room = limits.instructionMemoryBundles;
  // The entry always resides in instruction memory, beside its callees.
  Function *entry = module.main == kNone ? nullptr : &module.functions[module.main];
  if (entry) {
    if (absl::Status s = runRoutines(module, {&entry, 1}, limits, room, options, statistics);
        !s.ok())
      return s;
    room -= bundlesOf(*entry);
  }
  std::vector<Function *> routines;
  for (Function &f : module.functions)
    if (&f != entry)
      routines.push_back(&f);
  return runRoutines(module, routines, limits, room, options, statistics);
}

} // namespace systole::machine
