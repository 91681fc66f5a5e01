// Control of a core: transfers between blocks, loops, calls, waits and overlays.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CONTROL_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CONTROL_H

#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

// Follows the control instruction of a block whose bundles have been executed. False after a trap.
bool transfer(Core &core, const Block &b);

// Continues a wait after the next event.
void resume(Core &core);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_CONTROL_H
