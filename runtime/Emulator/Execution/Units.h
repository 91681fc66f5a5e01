// The interpreter's instructions by unit: each checks its hazards, occupies its unit and computes
// its results. All return false after a trap.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_UNITS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_UNITS_H

#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Execution/Core.h"
#include "runtime/Emulator/Execution/Mode.h"
#include "runtime/Emulator/Execution/RegisterOrigins.h"

namespace systole::emulation {

// The scalar unit, sync flags, and vector instructions within lanes (VectorUnits.cpp).
template <Mode mode> bool flagOrTrap(Core &core, const Op &op);
template <Mode mode> bool vectorOp(Core &core, const Op &op);

// The scalar unit's log (Log.cpp).
bool logWord(Core &core, const Op &op);

// Loads and stores of VMEM and SMEM (MemoryUnits.cpp).
template <Mode mode> bool load(Core &core, const Op &op);
template <Mode mode> bool store(Core &core, const Op &op);
template <Mode mode> bool scalarMemory(Core &core, const Op &op);

// Units whose results are popped (ResultUnits.cpp).
template <Mode mode> bool pushXlu(Core &core, const Op &op);
template <Mode mode> bool pushCells(Core &core, const Op &op);
template <Mode mode> bool pop(Core &core, const Op &op);

// MXUs (MatrixUnit.cpp).
template <Mode mode> bool pushArray(Core &core, const Op &op);
template <Mode mode> bool latch(Core &core, const Op &op);
template <Mode mode> bool swapWeights(Core &core, const Op &op);

// Issues a copy (CopyIssue.cpp).
template <Mode mode> bool startCopy(Core &core, const Op &op);

// Occupies the unit.
bool checkBusy(Core &core, const Op &op);
// Occupies the unit and FIFO entries for results, which are ready after the latency.
bool reserve(Core &core, const Op &op, int results);

// The place of the first result of a push that `reserve` made room for.
inline int firstResult(const Core &core, const Op &op) {
  const Fifo &fifo = core.state.fifos[op.unit];
  return fifo.place(fifo.count - op.count);
}

// Timing only: marks the results of a push that `reserve` made room for.
template <Mode mode> void setOrigins(Core &core, const Op &op, Origin origin) {
  if constexpr (tracks(mode)) {
    const Fifo &fifo = core.state.fifos[op.unit];
    for (int i = 0; i < op.count; ++i)
      core.known.results[op.unit][size_t(fifo.place(fifo.count - op.count + i))] = origin;
  }
}

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_UNITS_H
