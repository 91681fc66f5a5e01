// The cost of a run: cycles, bytes, flops, price, and the units or latencies that bound it.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_REPORT_H
#define SYSTOLE_RUNTIME_REPORT_REPORT_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/Report/Latency.h"
#include "runtime/Report/SliceReport.h"
#include "llvm/Support/JSON.h"

namespace systole {

struct Program;
struct RunStats;
class Target;

// The units that bound a program's speed from below.
enum class Unit { Mxu, Valu, Load, Store, Xlu, Eup, Hbm, count_ };
inline constexpr int kUnits = static_cast<int>(Unit::count_);

llvm::StringRef unitName(Unit unit);

// Cycles that each unit alone would need for its share of the work: a program
// cannot take fewer than the largest of them. The work of equal units (MXUs,
// vector ALUs, cores) is assumed to be spread evenly.
struct UnitBounds {
  std::array<int64_t, kUnits> cycles{};

  int64_t &operator[](Unit unit) { return cycles[static_cast<size_t>(unit)]; }
  int64_t operator[](Unit unit) const { return cycles[static_cast<size_t>(unit)]; }
};

// "hbm", "mxu", ...: the unit with the largest bound if that is at least half
// of `cycles`; "latency" if no unit is that busy.
llvm::StringRef boundBy(const UnitBounds &bounds, int64_t cycles);

// A class of cycles: every cycle of every core is in exactly one.
struct CycleUse {
  std::string name;  // in JSON
  std::string title; // in text
  int64_t cycles = 0;
};

// The name of the entry for code outside of kernels.
inline constexpr char kSequencer[] = "sequencer: control flow and waits";

// A kernel at one location of the program: entries of the same name and location are
// merged.
struct KernelReport {
  std::string name;
  std::string kind;
  std::string source;     // innermost line, "file.py:12:3", or ""
  std::string userSource; // innermost line outside of installed packages, or "" if it is `source`
  std::string nameStack;  // "jit(step)/ResNet50/stem/conv_general_dilated", or ""
  int64_t calls = 0;
  int64_t cycles = 0;          // these and the next two summed over the cores
  int64_t estimatedCycles = 0; // that the compiler expected of all calls; 0 if unknown
  int64_t stallCycles = 0;     // waiting for copies and for instruction memory
  int64_t delayCycles = 0;     // empty cycles between bundles
  int64_t flops = 0;           // useful flops of all calls
  int64_t bytes = 0;           // HBM bytes of all calls, padding included
  int64_t sentBytes = 0;       // to other cores
  UnitBounds bounds;
  LatencyUse latency;
};

// "mxu", or "latency (DMA start)" if no unit bounds the kernel on each of `cores` cores.
std::string boundText(const KernelReport &kernel, int cores);

// An assumption of a run for timing only, where control depends on data.
struct AssumptionReport {
  std::string what;   // "the costlier branch", "3 iterations"
  std::string source; // as KernelReport's; "" if unknown
  int64_t times = 0;  // executions of the control instruction
};

struct Report {
  std::string program;
  std::string target;
  std::string targetHash;
  std::string precision;
  bool timingOnly = false;
  int cores = 1;
  int targetCores = 1;
  int chips = 1; // of the target
  int mxus = 1;  // of all cores

  int64_t cycles = 0;
  double deviceSeconds = 0;
  int64_t flops = 0;
  double peakFlopsPerSecond = 0; // of all cores
  double hbmBytesPerSecond = 0;  // at most, of all cores
  int64_t mxuBusyCycles = 0;     // of pushes, summed over the MXUs
  int64_t mxuPushes = 0;
  int64_t mxuLatchCycles = 0; // loading weights, summed over the MXUs
  int64_t mxuLatches = 0;
  int64_t hbmReadBytes = 0;
  int64_t hbmWriteBytes = 0;
  int64_t hostSentBytes = 0; // to the host, padding included
  int64_t hostReceivedBytes = 0;
  int64_t hostCycles = 0; // of the link to the host
  int64_t hbmPeakBytes = 0;
  int64_t hbmPaddingBytes = 0; // of the buffers that are live at the peak of HBM
  int64_t vmemPeakBytes = 0;
  int64_t bundles = 0;        // issued
  int64_t programBundles = 0; // in the program's code
  UnitBounds bounds;
  std::vector<CycleUse> cycleUses; // of all cores
  std::vector<KernelReport> kernels;
  std::vector<AssumptionReport> assumptions;
  SliceReport slice;

  /// Why the compiler's verifier refused optimizations across kernels, a fault; "" if it did not.
  std::string verifierRefusal;
  double compileSeconds = 0;
  double emulateSeconds = 0;
  double usd = 0;            // of all chips of the target, on demand
  double usdPreemptible = 0; // 0 if the target has no such price
  int64_t examples = 0;      // images, texts or tokens of a run; 0 if unknown

  // Of all cores: the sum of `cycleUses` and, without idle cores, of `kernels`.
  int64_t coreCycles() const { return cycles * cores; }

  double examplesPerSecond() const { return deviceSeconds > 0 ? examples / deviceSeconds : 0; }

  // The unit that needs most of the time, "link" for the busiest link of a slice; "latency" if it
  // needs less than half of it.
  std::string boundBy() const;

  // Busy cycles over cycles of all MXUs; 0 for a run of no cycles.
  double mxuUtilization() const;
};

// The latencies that bound kernels of the report.
std::vector<Latency> latenciesOf(const Report &report);

// The report of a run of `program` on `target`. Its kernels are those of the program's
// header that ran, entries of the same name, line and name stack as one, and
// kSequencer for code outside of kernels.
Report makeReport(const Program &program, const RunStats &stats, const Target &target);

llvm::json::Object toJson(const KernelReport &kernel, int cores);
llvm::json::Object toJson(const Report &report);

enum class GroupBy { Kernel, Module };

struct TextOptions {
  GroupBy groupBy = GroupBy::Kernel;
  int depth = 0; // of modules, 0 for all of their parts
};

// Aligned tables, ending in a line break.
std::string toText(const Report &report, const TextOptions &options = {});

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_REPORT_H
