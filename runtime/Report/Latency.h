// The dominant latency of a kernel that no unit bounds.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_LATENCY_H
#define SYSTOLE_RUNTIME_REPORT_LATENCY_H

#include <array>
#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace systole {

struct KernelStats;

// Each cycle of a core is in exactly one class.
enum class Latency {
  DmaStart, // stalled in a wait before the copy that completes next begins to move data
  DmaData,  // stalled in a wait while that copy moves data
  Chain,    // empty, in a loop whose body is one block: an iteration waits for results
  Fill,     // empty, elsewhere: a pipeline fills or drains, straight-line code waits for results
  Scalar,   // a bundle in which only the scalar unit and the sequencer work
  Control,  // after a taken control transfer
  Overlay,  // loading instructions
  Issue,    // a bundle with work for another unit
  count_,
};
inline constexpr int kLatencies = static_cast<int>(Latency::count_);

struct LatencyUse {
  std::array<int64_t, kLatencies> cycles{};

  int64_t operator[](Latency latency) const { return cycles[static_cast<size_t>(latency)]; }
  // The largest; the first of equal ones.
  Latency largest() const;
};

LatencyUse latencyUse(const KernelStats &stats);

// "DMA start", "dependent chain", ...
llvm::StringRef latencyName(Latency latency);
// Returns advice against a latency, as a sentence without its full stop.
llvm::StringRef latencyHint(Latency latency);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_LATENCY_H
