// Software pipelining of innermost loops: prologue, kernel and epilogue.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_PIPELINER_H
#define SYSTOLE_COMPILER_SCHEDULE_PIPELINER_H

#include "compiler/Schedule/IterationAccess.h"
#include "compiler/Schedule/ModuloScheduler.h"

namespace systole::machine {

/// Whether the form of a loop allows pipelining: one block of moderate size, a constant trip count
/// of at least 2, loop-carried values in SSA form, each defined in the body.
bool isPipelineCandidate(const Function &f, NodeId loop);

/// The number of loops without nested loops.
int64_t countInnermostLoops(const Function &f);

/// How a candidate may be pipelined.
struct PipelineResult {
  std::optional<ModuloSchedule> schedule; ///< nullopt if the plain loop is as fast
  int32_t plainLength = 0;                ///< cycles of the body's list schedule
  std::vector<RegisterLack> lacks;        ///< schedules that more registers would allow
};
PipelineResult pipelineSchedule(const Function &f, NodeId loop, DependenceBuilder &builder,
                                const Limits &limits, const ModuloOptions &options);

/// Expands pipelined loops in the whole function. Initial values are copied before the loop and
/// results after it, in blocks that are yet to be scheduled. Returns the instructions that were
/// made.
std::vector<IterationCopy>
expandPipelines(Function &f, const Limits &limits,
                const std::vector<std::pair<NodeId, ModuloSchedule>> &loops);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_PIPELINER_H
