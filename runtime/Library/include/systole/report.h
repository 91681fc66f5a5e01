// The cost of a run: cycles, bytes, flops, money, and their bounds.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_REPORT_H
#define SYSTOLE_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

#include "systole/export.h"

namespace systole::SYSTOLE_V0 {

/// Cycles under a name.
struct NamedCycles {
  std::string name;
  int64_t cycles = 0;
};

/// A kernel as one place of the program calls it.
struct KernelReport {
  std::string name;
  std::string kind;       ///< "dot", "loop", ...
  std::string source;     ///< innermost line, "file.py:12:3", or ""
  std::string userSource; ///< innermost line outside of installed packages, or "" if it is `source`
  std::string nameStack;  ///< "jit(step)/dense/dot_general", or ""
  int64_t calls = 0;
  int64_t cycles = 0;
  int64_t estimatedCycles = 0; ///< that the compiler expected of all calls; 0 if unknown
  int64_t stallCycles = 0; ///< waiting for copies and for instruction memory
  int64_t delayCycles = 0; ///< empty cycles between bundles
  int64_t flops = 0;       ///< useful flops of all calls
  int64_t bytes = 0;       ///< HBM bytes of all calls, padding included
  std::string boundBy;     ///< the unit that bounds the kernel ("hbm", "mxu", ...), or "latency"
  std::vector<NamedCycles> bounds;    ///< cycles that each unit alone needs
  std::string latency;                ///< the largest of `latencies`
  std::vector<NamedCycles> latencies; ///< every cycle is in exactly one
};

/// An assumption of a prediction, where control depends on data.
struct AssumptionReport {
  std::string what;   ///< "the costlier branch of a conditional"
  std::string source; ///< "file.py:12:3", or ""
  int64_t times = 0;  ///< how often control came there
};

/// As `systole run --report json` prints it; fields have the same names there, in snake case.
struct Report {
  std::string program;
  std::string target;
  std::string targetHash;
  std::string precision;
  bool timingOnly = false; ///< a prediction, without data
  int32_t cores = 1;
  int32_t chips = 1;

  int64_t cycles = 0;
  double deviceSeconds = 0;
  int64_t flops = 0;
  double peakFlopsPerSecond = 0;
  double hbmBytesPerSecond = 0; ///< of the target, at most
  int64_t mxuBusyCycles = 0;    ///< of pushes, summed over the MXUs
  int64_t mxuPushes = 0;
  int64_t mxuLatchCycles = 0; ///< loading weights, summed over the MXUs
  int64_t mxuLatches = 0;
  double mxuUtilization = 0; ///< 0 to 1
  int64_t hbmReadBytes = 0;
  int64_t hbmWriteBytes = 0;
  int64_t hostSentBytes = 0; ///< to the host, padding included
  int64_t hostReceivedBytes = 0;
  int64_t hostCycles = 0; ///< of the link to the host
  int64_t hbmPeakBytes = 0;
  int64_t hbmPaddingBytes = 0; ///< when HBM is fullest
  int64_t vmemPeakBytes = 0;
  int64_t bundles = 0;        ///< issued
  int64_t programBundles = 0; ///< in the program's code
  std::string boundBy;        ///< as KernelReport's
  std::vector<NamedCycles> bounds;
  std::vector<NamedCycles> cycleUses; ///< every cycle is in exactly one
  std::vector<KernelReport> kernels;
  std::vector<AssumptionReport> assumptions;

  double compileSeconds = 0; ///< on this host
  double emulateSeconds = 0; ///< on this host; 0 for a prediction
  double usd = 0;            ///< on demand
  double usdPreemptible = 0; ///< 0 if the target has no such price

  /// As `systole run` prints it with `--report json`, and with `--report text`.
  std::string json;
  std::string text;
};

} // namespace systole::SYSTOLE_V0

#endif // SYSTOLE_REPORT_H
