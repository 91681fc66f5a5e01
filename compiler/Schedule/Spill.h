// Inserts spill code.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_SPILL_H
#define SYSTOLE_COMPILER_SCHEDULE_SPILL_H

#include "compiler/Schedule/MachineFunction.h"

namespace systole::machine {

/// Assigns each register of `spilled` (flags by RegId) a slot in the spill frame: every
/// definition is stored, every use is loaded into a new register. Constants and
/// coordinates are rematerialized instead. Slots of vectors and masks are in VMEM, those
/// of scalars in the first `smemWords` words of SMEM; further scalars are cells of
/// vectors in VMEM, 1024 in each. In large frames registers that are accessed in one block share
/// slots, one after the other. Runs before scheduling; no spilled register may be
/// loop-carried.
void rewriteSpills(Function &f, const std::vector<bool> &spilled, int64_t smemWords);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_SPILL_H
