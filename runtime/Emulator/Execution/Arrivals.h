// Copies that complete, and messages that arrive.
//
// A message of a copy has two times: when its first word arrives it takes its destination, and time
// of the memory's channel; when its last word has arrived, its words and its flag take effect.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ARRIVALS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ARRIVALS_H

#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

// Messages of the network, in the order in which it has taken them.
void receive(Core &core, Message message);
// The copy that was sent with `send` has left the core's memory at a cycle.
void finishSend(Core &core, const Send &send, int64_t finish);
// Copies and messages that have arrived at the present cycle take effect. False after a trap.
bool completeCopies(Core &core);
// All messages take effect, after the core has halted.
void settle(Core &core);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_ARRIVALS_H
