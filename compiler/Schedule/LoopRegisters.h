// Registers that a pipelined loop could use, if values that only live through it were in memory.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H
#define SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H

#include "compiler/Schedule/Liveness.h"
#include "compiler/Schedule/Pipeliner.h"

namespace systole::machine {

/// Registers of each class that are free for the values of flow block `b`, which include `own`, the
/// loop-carried values of a loop around it. Negative if the values around the block have more than
/// there are.
std::array<int, kRegClasses> registersLeft(const Function &f, const Liveness &live, uint32_t b,
                                           std::span<const Carried> own);
/// The same less `reduction` of each class; at least a few.
std::array<int, kRegClasses> registerBudget(const Function &f, const Liveness &live, uint32_t b,
                                            std::span<const Carried> own, int reduction);

/// The registers (of the unscheduled function) whose values to keep in memory, so that the loop of
/// flow block `loop` can be pipelined with a shorter interval than `found` has: values that are
/// live through the loop, and that no loop which may be pipelined accesses. Empty if the accesses
/// to memory would take longer than they save.
std::vector<RegId> valuesToSpill(const Function &f, const std::vector<FlowBlock> &flow,
                                 const Liveness &live, uint32_t loop, const PipelineResult &found,
                                 const Limits &limits);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_LOOPREGISTERS_H
