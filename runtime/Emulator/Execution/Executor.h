// The interface of executors, which run the blocks of a program on a core.
//
// The interpreter is the reference: any other executor leaves a core in the same state, with the
// same statistics, and ends with the same traps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_EXECUTOR_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_EXECUTOR_H

#include <cstdint>

#include "runtime/Emulator/Execution/Core.h"

namespace systole::emulation {

struct ExecutionLimits {
  int64_t blocks = INT64_MAX; // to execute
  // Of a bundle: none issues at this cycle or later. It may stop inside of a block
  // (ControlState::resumeAt).
  int64_t cycle = INT64_MAX;
};

class Executor {
public:
  virtual ~Executor() = default;

  // Executes blocks, with the control transfers after them, from where control is: until a limit
  // is reached, or the core does not run any more.
  virtual void run(Core &core, const ExecutionLimits &limits) = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_EXECUTOR_H
