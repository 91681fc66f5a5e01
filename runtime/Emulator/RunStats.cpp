// Sums of statistics.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Emulator/RunStats.h"

namespace systole {

void UnitUse::add(const UnitUse &other, int64_t times) {
  bundles += other.bundles * times;
  delayCycles += other.delayCycles * times;
  loopDelayCycles += other.loopDelayCycles * times;
  scalarBundles += other.scalarBundles * times;
  scalarOps += other.scalarOps * times;
  valuOps += other.valuOps * times;
  loads += other.loads * times;
  stores += other.stores * times;
  pops += other.pops * times;
  mxuPushes += other.mxuPushes * times;
  mxuLatches += other.mxuLatches * times;
  mxuCycles += other.mxuCycles * times;
  mxuLatchCycles += other.mxuLatchCycles * times;
  xluCycles += other.xluCycles * times;
  eupCycles += other.eupCycles * times;
  copies += other.copies * times;
}

void KernelStats::add(const KernelStats &other) {
  calls += other.calls;
  cycles += other.cycles;
  waitCycles += other.waitCycles;
  waitStartCycles += other.waitStartCycles;
  controlCycles += other.controlCycles;
  overlayCycles += other.overlayCycles;
  use.add(other.use);
  hbmReadBytes += other.hbmReadBytes;
  hbmWriteBytes += other.hbmWriteBytes;
  hbmCycles += other.hbmCycles;
  localCycles += other.localCycles;
  sentBytes += other.sentBytes;
  hostSentBytes += other.hostSentBytes;
  hostReceivedBytes += other.hostReceivedBytes;
  hostCycles += other.hostCycles;
}

} // namespace systole
