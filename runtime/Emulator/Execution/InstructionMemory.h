// Instruction memory: which overlays it holds, and their loads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INSTRUCTIONMEMORY_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INSTRUCTIONMEMORY_H

#include <cstdint>
#include <optional>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Emulator/Execution/CopyEngine.h"
#include "runtime/Emulator/Execution/Fault.h"
#include "runtime/Emulator/RunStats.h"

namespace systole::emulation {

class InstructionMemory {
public:
  // `capacity` is in bundles; `states` are those of the overlays (ControlState).
  InstructionMemory(int64_t capacity, std::vector<int64_t> &states)
      : capacity(capacity), states(states) {}

  // For runs of a program, which has to outlive them; `reset` follows.
  void load(const program::ProgramHeader &program) { header = &program; }

  // The state of an overlay is the cycle of its arrival, or one of these.
  static constexpr int64_t kAbsent = -1, kResident = -2;

  void reset();

  // Whether bundles of the overlay can be executed; those of no overlay (-1) always can.
  bool isResident(int32_t overlay) const {
    return overlay < 0 || states[size_t(overlay)] == kResident;
  }

  // Begins to load the overlay at cycle `now`, unless it is there or on its way. Overlays that it
  // overlaps are gone.
  std::optional<Fault> start(int32_t overlay, int64_t now, CopyEngine &copies, KernelStats &stats);

  // The cycle at which an overlay that has been started has arrived. It is resident then.
  int64_t finish(int32_t overlay);

private:
  int64_t end(int32_t overlay) const;

  const program::ProgramHeader *header = nullptr;
  int64_t capacity;
  std::vector<int64_t> &states;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_INSTRUCTIONMEMORY_H
