// Timing only: where the unknown values of a core come from, and what was assumed for them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_KNOWNVALUES_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_KNOWNVALUES_H

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/Emulator/Execution/Demand.h"
#include "runtime/Emulator/Execution/RowOrigins.h"
#include "runtime/Emulator/State/Registers.h"

namespace systole::emulation {

struct KnownValues {
  Demand *demand = nullptr; // null if the run computes all values
  std::array<Origin, kRegisters> registers{};
  std::array<std::vector<Origin>, kFifos> results; // by place
  Origin transposeBlock = kKnown;                  // of the open block
  Origin control = kKnown;                         // of ControlState::value
  RowOrigins rows;

  int32_t call = -1; // the call that is running, by its kernel
  // By block: how often its control was assumed; iterations so far of a `while` with its exit
  // there.
  std::map<int32_t, int64_t> assumed, turns;

  // How often known contents were written to HBM; for each region the number of these writes when
  // all of its rows were marked as unknown, or -1.
  int64_t knownWrites = 0;
  std::vector<int64_t> unknownSince;

  Origin join(Origin a, Origin b) const { return demand->origins().join(a, b); }
  // `regions`: how many the program has.
  void reset(Demand *timing, int regions) {
    demand = timing;
    registers.fill(kKnown);
    transposeBlock = control = kKnown;
    if (demand)
      rows.reset();
    call = -1;
    assumed.clear();
    turns.clear();
    knownWrites = 0;
    unknownSince.assign(demand ? size_t(regions) : 0, -1);
  }
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_KNOWNVALUES_H
