// Moves values between registers and the spill frame of a routine.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_SPILL_H
#define SYSTOLE_COMPILER_SCHEDULE_SPILL_H

#include "compiler/Schedule/MachineFunction.h"

namespace systole::machine {

/// Gives each register of `spilled` (flags by RegId) a place in the frame:
/// every definition stores there, every use loads from there into a register of
/// its own. Constants and coordinates are computed again instead. Vectors and
/// masks live in VMEM, scalars in SMEM as far as `smemWords` reach; the others are cells of
/// vectors in VMEM, 1024 to each. The function is not yet scheduled, and
/// no spilled register is carried by a loop.
void rewriteSpills(Function &f, const std::vector<bool> &spilled, int64_t smemWords);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_SPILL_H
