// Verifies machine functions before and after scheduling and register allocation.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_SCHEDULEVERIFIER_H
#define SYSTOLE_COMPILER_SCHEDULE_SCHEDULEVERIFIER_H

#include "compiler/Schedule/MachineFunction.h"
#include "dialects/Machine/InstructionSet/Limits.h"

#include "absl/status/status.h"

namespace systole::machine {

/// Before scheduling: operands of the right kind, every register defined before it is read, one
/// exit in each while, loop-carried values of the right class.
absl::Status verifyFunction(const Module &module, const Function &f);

/// After scheduling (and allocation, if registers have machine numbers): no bundle exceeds its
/// slots and immediates; on every path, no register is read or written before a result in flight to
/// it is ready, no unit is pushed while busy, and no FIFO overflows, underflows or is popped too
/// early.
absl::Status verifySchedule(const Function &f, const Limits &limits);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_SCHEDULEVERIFIER_H
