// Removes instructions whose results nobody reads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H
#define SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H

#include "compiler/Schedule/MachineFunction.h"

namespace systole::machine {

/// Removes scalar and vector arithmetic, and loads, without a reader, and carried
/// values that only compute themselves. The function is not yet scheduled.
void removeDeadCode(Function &f);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_DEADCODE_H
