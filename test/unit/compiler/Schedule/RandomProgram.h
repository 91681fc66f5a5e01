// Random machine modules that are valid.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_RANDOMPROGRAM_H
#define SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_RANDOMPROGRAM_H

#include "compiler/Schedule/MachineFunction.h"

namespace systole::machine {

struct RandomOptions {
  int items = 6;       // control nodes and runs of instructions in a list
  int run = 12;        // instructions in a run
  int depth = 3;       // of nested control
  int liveVectors = 8; // values that a run prefers to read; more need more registers
  bool calls = true;
  bool innerLoopsOnly = false; // straight loops, for the pipeliner
  bool streams = false;        // that may be interleaved
  int trips = 0;               // of all loops, which may be fused; 0: several counts
};

Module randomModule(uint64_t seed, const RandomOptions &options);

} // namespace systole::machine

#endif // SYSTOLE_TEST_UNIT_COMPILER_SCHEDULE_RANDOMPROGRAM_H
