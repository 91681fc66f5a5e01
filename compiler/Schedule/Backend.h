// From lowered machine functions to scheduled ones on machine registers.
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
  Allocate, ///< machine registers
};

struct BackendOptions {
  /// Overlap the iterations of innermost loops.
  bool pipeline = true;
  /// Stop after this step of the first attempt.
  BackendStep last = BackendStep::Allocate;
  /// Keep the program's order and all values in memory: what the backend falls
  /// back on when nothing else works.
  bool simplest = false;
  /// Words of SMEM for spilled scalars, of routines that call others and of all others; more are
  /// spilled to VMEM.
  int64_t callerWords = INT64_MAX, leafWords = INT64_MAX;
  /// Stops with Cancelled before the next routine once it is true. May be null.
  std::function<bool()> isCancelled;
};

/// Schedules every routine and gives it machine registers. InvalidArgument for a
/// function that breaks the rules of verifyFunction or overfills a FIFO, Cancelled as `options`
/// say.
absl::Status runBackend(Module &module, const Limits &limits, const BackendOptions &options,
                        Statistics &statistics);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_BACKEND_H
