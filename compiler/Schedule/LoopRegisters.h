// Registers that a pipelined loop could use, if values that only live through it were in memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H
#define SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H

#include "compiler/Schedule/Liveness.h"
#include "compiler/Schedule/Pipeliner.h"

namespace systole::machine {

/// The registers (of the unscheduled function) whose values to keep in memory, so that the loop of
/// flow block `loop` can be pipelined with a shorter interval than `found` has: values that are
/// live through the loop, and that no loop which may be pipelined accesses. Empty if the accesses
/// to memory would take longer than they save.
std::vector<RegId> valuesToSpill(const Function &f, const std::vector<FlowBlock> &flow,
                                 const Liveness &live, uint32_t loop, const PipelineResult &found,
                                 const Limits &limits);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H
