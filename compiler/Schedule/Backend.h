// Schedules machine functions and allocates registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_BACKEND_H
#define SYSTOLE_COMPILER_SCHEDULE_BACKEND_H

#include "compiler/Schedule/MachineFunction.h"
#include "compiler/Schedule/Statistics.h"
#include "dialects/Machine/InstructionSet/Limits.h"

#include "absl/status/status.h"

#include <functional>

namespace systole::machine {

/// The steps of scheduling, in order.
enum class BackendStep {
  Prepare,  ///< carried values as copies where loops are not pipelined, spills as memory accesses
  Pipeline, ///< pipelined loops as prologue, kernel and epilogue
  Schedule, ///< cycles for all instructions
  Overlap,  ///< blocks around pipelined loops merged
  Allocate, ///< machine registers
};

/// How schedules are made, from the fastest code to the one that needs the fewest registers.
enum class ScheduleMode {
  Reordered, ///< instructions as early as they can issue, pipelined loops
  Ordered,   ///< in program order, where codegen keeps few values live
  InMemory,  ///< in program order with all values in memory, which always succeeds
};

struct BackendOptions {
  /// Overlap the iterations of innermost loops.
  bool pipeline = true;
  /// Fuse neighbouring loops before they are pipelined.
  bool fuseLoops = true;
  /// If false, stop after scheduling: registers remain virtual.
  BackendStep last = BackendStep::Allocate;
  /// The mode to begin with; those after it follow where registers run out.
  ScheduleMode firstMode = ScheduleMode::Reordered;
  /// Words of SMEM for spilled scalars of routines with calls and of leaf routines; further scalars
  /// are spilled to VMEM.
  int64_t callerWords = INT64_MAX, leafWords = INT64_MAX;
  /// Polled before each routine, by one thread at a time; returns Cancelled if true. May be null.
  std::function<bool()> isCancelled;
};

/// Schedules every routine and allocates registers, with as many threads as there are processors.
/// The result does not depend on their number. InvalidArgument for a function that
/// verifyFunction rejects or that overfills a FIFO; Cancelled as described in
/// `options`.
absl::Status runBackend(Module &module, const Limits &limits, const BackendOptions &options,
                        Statistics &statistics);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_BACKEND_H
