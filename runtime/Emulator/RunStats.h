// Statistics of a run by kernel, from which reports are made.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_RUNSTATS_H
#define SYSTOLE_RUNTIME_EMULATOR_RUNSTATS_H

#include <cstdint>
#include <vector>

namespace systole {

// Work issued. Cycles of a unit are those in which it accepts no other push:
// the time that its instructions need without other stalls.
struct UnitUse {
  int64_t bundles = 0;
  int64_t delayCycles = 0; // empty cycles after bundles
  // Of delayCycles, those in loops whose body is one block: an iteration waits for results.
  int64_t loopDelayCycles = 0;
  int64_t scalarBundles = 0; // bundles in which only the scalar unit and the sequencer are active
  int64_t scalarOps = 0;     // two fit a cycle
  int64_t valuOps = 0;       // two fit a cycle
  int64_t loads = 0;
  int64_t stores = 0;
  int64_t pops = 0;
  int64_t mxuPushes = 0;
  int64_t mxuLatches = 0;
  int64_t mxuCycles = 0;      // of pushes, summed over the MXUs
  int64_t mxuLatchCycles = 0; // loading weights, summed over the MXUs
  int64_t xluCycles = 0;
  int64_t eupCycles = 0;
  int64_t copies = 0; // DMAs started

  void add(const UnitUse &other, int64_t times = 1);
};

// cycles = bundles + delayCycles + waitCycles + controlCycles + overlayCycles.
struct KernelStats {
  int64_t calls = 0; // times that control reached its first bundle
  int64_t cycles = 0;
  int64_t waitCycles = 0; // stalled in `wait`
  // Of waitCycles, those before the copy that completes next begins to move data.
  int64_t waitStartCycles = 0;
  int64_t controlCycles = 0; // after taken control transfers
  int64_t overlayCycles = 0; // waiting for bundles
  UnitUse use;
  // Of the copies that it started.
  int64_t hbmReadBytes = 0;
  int64_t hbmWriteBytes = 0;
  int64_t hbmCycles = 0;   // of the HBM channel
  int64_t localCycles = 0; // of the channel between VMEM and SMEM
  int64_t sentBytes = 0;   // to other cores
  int64_t hostSentBytes = 0;
  int64_t hostReceivedBytes = 0;
  int64_t hostCycles = 0; // of the link to the host, both ways

  void add(const KernelStats &other);
};

// Copies between a region of HBM and a core, of one kernel.
struct CopyStats {
  int kernel; // index into the header's kernels, or -1
  int region;
  bool reads; // from HBM
  int64_t copies = 0, bytes = 0;
};

// A span of time for a trace.
struct TraceEvent {
  enum class Kind : uint8_t { Kernel, Copy, Wait };
  Kind kind;
  int core;
  int kernel; // index into the header's kernels, or -1
  int64_t begin, end;
  int64_t bytes;        // of a copy
  int64_t hbmBytes = 0; // of these, from or to HBM
};

// An assumption of a run for timing only, where control depends on data.
struct Assumption {
  enum class Kind : uint8_t { Branch, Trips };
  Kind kind;
  int64_t bundle;    // with the branch, or with the loop's condition
  int64_t times = 0; // executions of the control instruction
};

// Of a link between chips, in one direction.
struct LinkStats {
  int64_t bytes = 0, cycles = 0; // that it carried, and for how long
};

// A copy on a link, for a trace.
struct LinkSpan {
  int link = 0;         // by the number of Topology
  int from = 0, to = 0; // cores of the program
  int kernel = -1;      // of the sender: index into the header's kernels, or -1
  int64_t begin = 0, end = 0, bytes = 0;
};

struct RunStats {
  int64_t cycles = 0;               // until the last core halted
  KernelStats total;                // summed over kernels and cores
  std::vector<KernelStats> kernels; // as in the program's header
  KernelStats outside;              // bundles of no kernel
  int64_t hbmTouchedBytes =
      0; // most HBM in use on the host, of all cores and of all that use the machine
  // Instructions with cells that plans have computed, and that were computed one by one. They
  // depend on what the process has executed before; zero for the interpreter.
  int64_t plannedInstructions = 0, otherInstructions = 0;
  std::vector<TraceEvent> trace; // if requested
  std::vector<CopyStats> copies; // if requested
  std::vector<Assumption> assumptions;
  std::vector<int64_t> coreCycles; // until each core halted
  int sliceCores = 0;              // of whose Topology the numbers of links are; 0 for one core
  std::vector<int> places;         // by core that of the slice; none for one core
  std::vector<LinkStats> links;    // by the number of Topology; none for one core
  std::vector<LinkSpan> linkSpans; // if a trace is requested
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_EMULATOR_RUNSTATS_H
