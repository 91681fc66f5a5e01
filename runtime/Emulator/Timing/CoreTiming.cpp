// Reads a target's description.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/Timing/CoreTiming.h"

namespace systole::emulation {

CoreTiming::CoreTiming(const Target &target)
    : controlCycles(target.latency(isa::LatencyClass::control)),
      loopDepth(size_t(target.description().loop_depth().value())),
      callDepth(size_t(target.description().call_depth().value())), mxus(target.mxusPerCore()),
      tilesPerSide(target.mxuSize() / kTileSize),
      instructionBundles(int64_t(target.description().instruction_memory_bundles().value())),
      copies(target) {
  const target::TargetDescription &d = target.description();
  fifoDepths[kXlu] = int(d.xlu_fifo_depth().value());
  fifoDepths[kEup] = int(d.eup_fifo_depth().value());
  fifoDepths[kToScalar] = int(d.v2s_fifo_depth().value());
  for (int i = 0; i < mxus; ++i)
    fifoDepths[size_t(kMxu + i)] = int(d.mxu_fifo_depth().value());
}

} // namespace systole::emulation
