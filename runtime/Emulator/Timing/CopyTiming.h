// When copies of one core begin and complete.
//
// A copy issued at cycle t starts when its start-up latency has passed and the copies before it
// on its channel are done, and takes its bytes divided by the channel's rate, rounded up. The
// HBM channel carries every copy that touches HBM (one from HBM to HBM twice), the local channel
// the others. A chunk counts as at least the target's least chunk. A copy between HBM and the
// host occupies the HBM channel and one direction of the host link until the later of the two is
// done, plus the link's latency; a copy from the host begins when earlier copies to it have
// arrived. A copy with pinned memory takes the time of one with the host, but does not wait for
// messages to it. A copy to another core occupies the channel of its source here; its way is that
// of Network.h, and behind it the channel of its destination there, when its first word has
// arrived.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_TIMING_COPYTIMING_H
#define SYSTOLE_RUNTIME_EMULATOR_TIMING_COPYTIMING_H

#include <cstdint>

#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/State/CopyState.h"

namespace systole::emulation {

class CopyTiming {
public:
  explicit CopyTiming(const Target &target);

  struct Span {
    int64_t begin, finish;   // cycles from which it moves data, and at which it completes
    int64_t bytes, occupied; // and those that it takes of a channel
  };
  // Occupies channels for a copy that is issued at cycle `now`; its cost is added to `stats`.
  Span schedule(const Pattern &src, const Pattern &dst, bool remote, int64_t now,
                Channels &channels, KernelStats &stats) const;
  // The same for a copy from another core whose first word arrives; the cycle at which its last
  // word is in memory.
  int64_t arrive(const Message &message, Channels &channels, KernelStats &stats) const;
  // The same for a load of `bytes` of instructions from HBM; the cycle at which they have arrived.
  int64_t load(int64_t bytes, int64_t now, Channels &channels, KernelStats &stats) const;

  size_t queueDepth; // copies that may be in flight

private:
  Span scheduleHost(bool isSend, bool isMessage, int64_t bytes, double occupied, int64_t begin,
                    Channels &channels, KernelStats &stats) const;

  double hbmRate, localRate, overlayRate, hostRate; // bytes a cycle
  int64_t latency, hostLatency, minChunkBytes;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_TIMING_COPYTIMING_H
