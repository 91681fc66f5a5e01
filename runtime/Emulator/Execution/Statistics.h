// Counts of a run of one core, and the spans of its trace.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_STATISTICS_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_STATISTICS_H

#include <cassert>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Emulator/State/Archive.h"
#include "runtime/Emulator/State/CoreState.h"

namespace systole::emulation {

// Counts executions of blocks; what a block does is added when they are collected.
class Statistics {
public:
  // For runs of a program, which has to outlive them; `reset` follows.
  void load(const Code &decoded, int index) {
    code = &decoded;
    core = index;
  }
  void reset(bool traced, bool copiesCounted);

  int kernelOf(const ControlState &control) const {
    const Block &b = code->blocks[size_t(control.block)];
    return b.kernel >= 0 ? b.kernel : control.inherited;
  }
  KernelStats &of(int kernel) {
    assert(kernel + 1 < int(kernels.size()) && "no such kernel");
    return kernels[kernel >= 0 ? size_t(kernel) : kernels.size() - 1];
  }
  KernelStats &of(const ControlState &control) { return of(kernelOf(control)); }

  // Control has reached the block, with the clock at `now`.
  void enter(const ControlState &control, int64_t now) {
    const Block &b = code->blocks[size_t(control.block)];
    ++executions[size_t(control.block)];
    if (b.kernel < 0) {
      KernelStats &stats = of(control.inherited);
      stats.use.add(b.use);
      stats.cycles += b.cycles;
    }
    if (tracing)
      traceKernel(kernelOf(control), now);
  }
  void addTrace(const TraceEvent &event) {
    if (tracing && trace.size() < kMaxTraceEvents && event.end > event.begin)
      trace.push_back(event);
  }
  // A kernel begins, or none (-1).
  void traceKernel(int kernel, int64_t now);
  void countCells(int64_t instructions, bool byPlan) {
    (byPlan ? plannedInstructions : otherInstructions) += instructions;
  }
  void countCopy(int kernel, int region, bool reads, int64_t bytes);

  // Adds the counts to those of other cores.
  void collect(RunStats &stats) const;

  // All counts, for the reader and the writer of archives (State/Archive.h).
  void describe(ArchiveReader &archive);
  void describe(ArchiveWriter &archive) const;
  // Whether a run of the program could have counted this until cycle `now`.
  bool isPossible(int64_t now, const program::ProgramHeader &header) const;

private:
  static constexpr size_t kMaxTraceEvents = 1 << 20;

  const Code *code = nullptr;
  int core = 0;                     // in the program
  std::vector<int64_t> executions;  // of blocks
  std::vector<KernelStats> kernels; // the last one is of no kernel
  // By kernel, region, and whether HBM is read.
  std::map<std::tuple<int, int, bool>, CopyStats> copies;
  bool countsCopies = false;
  bool tracing = false;
  std::vector<TraceEvent> trace;
  int64_t plannedInstructions = 0, otherInstructions = 0;
  int tracedKernel = -1;
  int64_t tracedSince = 0;
};

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_STATISTICS_H
