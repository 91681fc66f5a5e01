// Latencies, depths and sizes of a core, from the description of its target.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_TIMING_CORETIMING_H
#define SYSTOLE_RUNTIME_EMULATOR_TIMING_CORETIMING_H

#include <array>
#include <cstdint>

#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/State/Registers.h"
#include "runtime/Emulator/Timing/CopyTiming.h"

namespace systole::emulation {

// Latencies and issue intervals of instructions are in their operations (Code.h).
struct CoreTiming {
  explicit CoreTiming(const Target &target);

  int64_t controlCycles; // after a taken control transfer
  size_t loopDepth, callDepth;
  int mxus;
  int tilesPerSide; // of an MXU
  std::array<int, kFifos> fifoDepths{};
  int64_t instructionBundles; // that instruction memory holds
  CopyTiming copies;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_TIMING_CORETIMING_H
