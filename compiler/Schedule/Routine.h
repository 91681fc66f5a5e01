// Schedules one routine and allocates its registers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_ROUTINE_H
#define SYSTOLE_COMPILER_SCHEDULE_ROUTINE_H

#include "compiler/Schedule/Backend.h"

namespace systole::machine {

/// Bundles of a scheduled routine in instruction memory.
int64_t bundlesOf(const Function &f);

/// Instructions of a routine.
int64_t countInstructions(const Function &f);

/// Schedules `f`, which has at most `room` bundles then; its streams share loops as far as that
/// pays. Of `module` only regions and descriptors are read, so that several threads may schedule
/// routines of one module.
absl::Status runRoutine(const Module &module, Function &f, const Limits &limits, int64_t room,
                        const BackendOptions &options, Statistics &statistics);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_ROUTINE_H
