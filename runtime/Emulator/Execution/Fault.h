// The reason for a trap, before its position is known.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_FAULT_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_FAULT_H

#include <string>

#include "absl/status/status.h"
#include "runtime/Emulator/Trap.h"

namespace systole::emulation {

struct Fault {
  TrapKind kind;
  std::string text;
  absl::Status cause = absl::OkStatus(); // of a failure outside of the machine
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_FAULT_H
