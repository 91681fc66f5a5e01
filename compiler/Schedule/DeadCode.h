// Dead code elimination.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H
#define SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H

#include "compiler/Schedule/MachineFunction.h"

namespace systole::machine {

/// Removes unused scalar and vector arithmetic, unused loads, and loop-carried values that are only
/// used to compute themselves. Runs before scheduling.
void removeDeadCode(Function &f);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H
