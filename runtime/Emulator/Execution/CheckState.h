// Whether a state that was read can be executed safely.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CHECKSTATE_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CHECKSTATE_H

#include "absl/status/status.h"
#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

// InvalidArgument, with the reason, if a core with this state could access what is not its own:
// places outside of the program's code or memories, more entries than a unit has. Hazards are
// still traps.
absl::Status checkState(const Core &core);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CHECKSTATE_H
