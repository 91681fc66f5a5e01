// The executor that checks every hazard of every instruction when it issues.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INTERPRETER_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INTERPRETER_H

#include "runtime/Emulator/Execution/Executor.h"

namespace systole::emulation {

class Interpreter final : public Executor {
public:
  void run(Core &core, const ExecutionLimits &limits) override;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INTERPRETER_H
