// Limits of a machine: the constants of a target that the verifier and the
// emulator's hazard checks need, without their sources.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_LIMITS_H
#define SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_LIMITS_H

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "dialects/Machine/InstructionSet/Isa.h"

namespace systole {

struct Limits {
  // An instruction issued at cycle t gives a result that may be read or popped
  // from t + cycles, and its unit takes the next push from t + interval.
  struct Latency {
    int cycles = 1;
    int interval = 1;
  };
  std::array<Latency, size_t(isa::LatencyClass::count_)> latencies{};

  int64_t hbmRows = 0;   // of one core's share, 512 bytes each
  int64_t vmemRows = 0;  // 512 bytes each
  int64_t smemWords = 0; // 4 bytes each
  int64_t instructionMemoryBundles = 0;
  int loopDepth = 0; // nested `loop`s, across calls
  int callDepth = 0; // nested `call`s; the entry routine is at depth 0
  isa::BundleFormat bundle;
  int mxus = 0;         // MXUs of a core
  int mxuSize = 128;    // rows and columns of each: 128 or 256
  int mxuFifoDepth = 0; // of each MXU
  int xluFifoDepth = 0;
  int eupFifoDepth = 0;
  int v2sFifoDepth = 0;
  int dmaQueueDepth = 0;
  int dmaDimensions = 0; // chunk and counts: 2 is a chunk and one stride
  std::set<std::string, std::less<>> features;

  const Latency &latency(isa::LatencyClass cls) const { return latencies[size_t(cls)]; }
};

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_INSTRUCTIONSET_LIMITS_H
