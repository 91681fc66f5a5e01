// The dominant latency of a kernel that no unit bounds.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Latency.h"

#include <algorithm>

#include "runtime/Emulator/RunStats.h"

namespace systole {
namespace {

struct Description {
  const char *name, *hint;
};

constexpr std::array<Description, kLatencies> kDescriptions = {{
    {"DMA start", "each copy takes hundreds of cycles to begin: larger arrays, a larger batch or "
                  "fewer kernels (operations under one jit, without barriers between them)"},
    {"DMA data", "the kernel waits for data before it computes: larger steps, or operands that "
                 "stay in VMEM from the kernel before"},
    {"dependent chain", "each iteration needs the result of the one before: independent work in "
                        "one loop (vmap, a larger batch), an associative scan instead of a scan"},
    {"pipeline fill", "the units' pipelines fill and drain more than they run: larger arrays, a "
                      "larger batch, fewer kernels"},
    {"scalar loop", "the scalar unit computes addresses or walks over indices: fewer and larger "
                    "slices, gathered rows instead of elements, loops as array operations"},
    {"control", "loops, calls and branches with little in them: unroll short loops, larger "
                "arrays"},
    {"instruction load", "the code does not fit into instruction memory: fewer different shapes, "
                         "loops (scan) over equal layers"},
    {"issue", "several units share the work and none is busy half of the time"},
}};

const Description &describe(Latency latency) { return kDescriptions[static_cast<size_t>(latency)]; }

} // namespace

Latency LatencyUse::largest() const {
  return static_cast<Latency>(std::max_element(cycles.begin(), cycles.end()) - cycles.begin());
}

LatencyUse latencyUse(const KernelStats &stats) {
  const UnitUse &use = stats.use;
  LatencyUse result;
  auto set = [&](Latency latency, int64_t cycles) {
    result.cycles[static_cast<size_t>(latency)] = cycles;
  };
  set(Latency::DmaStart, stats.waitStartCycles);
  set(Latency::DmaData, stats.waitCycles - stats.waitStartCycles);
  set(Latency::Chain, use.loopDelayCycles);
  set(Latency::Fill, use.delayCycles - use.loopDelayCycles);
  set(Latency::Scalar, use.scalarBundles);
  set(Latency::Control, stats.controlCycles);
  set(Latency::Overlay, stats.overlayCycles);
  set(Latency::Issue, use.bundles - use.scalarBundles);
  return result;
}

llvm::StringRef latencyName(Latency latency) { return describe(latency).name; }
llvm::StringRef latencyHint(Latency latency) { return describe(latency).hint; }

} // namespace systole
