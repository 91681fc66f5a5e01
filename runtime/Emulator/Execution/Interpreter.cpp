// The interpreter's loop over blocks.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Execution/Interpreter.h"

#include <algorithm>

#include "runtime/Emulator/Execution/Arrivals.h"
#include "runtime/Emulator/Execution/Bundles.h"

namespace systole::emulation {

template <Mode mode>
static bool interpret(Core &core, const Block &b, int32_t first, int64_t limit) {
  return executeBlock(
      core, b, first, limit, [&] { return completeCopies(core); },
      [&](const Op &op) { return execute<mode>(core, op); });
}

// Timing only: whether the kernel that control has reached is computed.
static bool isComputed(Core &core) {
  const Demand &demand = *core.known.demand;
  const int kernel = core.kernel(), now = demand.callOf(kernel);
  const bool is = demand.computes(kernel);
  if (now != core.known.call && is) {
    // It finds nothing in vector registers that was computed, and in VMEM at most scalars that
    // control between kernels has spilled.
    if (!demand.computes(-1))
      core.known.rows.forgetVmem();
    std::fill(core.known.registers.begin() + kVectorBase, core.known.registers.end(), kNever);
  }
  core.known.call = now;
  return is;
}

void Interpreter::run(Core &core, const ExecutionLimits &limits) {
  const bool timingOnly = core.timingOnly;
  executeBlocks(core, limits, [&](const Block &b, int32_t first) {
    if (!timingOnly)
      return interpret<Mode::Full>(core, b, first, limits.cycle);
    return isComputed(core) ? interpret<Mode::Known>(core, b, first, limits.cycle)
                            : interpret<Mode::Clock>(core, b, first, limits.cycle);
  });
}

} // namespace systole::emulation
