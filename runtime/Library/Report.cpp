// Reports of the C++ interface.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Report.h"

#include "runtime/Library/State.h"
#include "runtime/Report/Memory.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole::v0 {
namespace {

std::vector<NamedCycles> namedCycles(const UnitBounds &bounds) {
  std::vector<NamedCycles> named;
  for (int unit = 0; unit < kUnits; ++unit)
    named.push_back({unitName(Unit(unit)).str(), bounds[Unit(unit)]});
  return named;
}

KernelReport publicKernel(const systole::KernelReport &from, int cores) {
  KernelReport kernel;
  kernel.name = from.name;
  kernel.kind = from.kind;
  kernel.source = from.source;
  kernel.userSource = from.userSource;
  kernel.nameStack = from.nameStack;
  kernel.calls = from.calls;
  kernel.cycles = from.cycles;
  kernel.estimatedCycles = from.estimatedCycles;
  kernel.stallCycles = from.stallCycles;
  kernel.delayCycles = from.delayCycles;
  kernel.flops = from.flops;
  kernel.bytes = from.bytes;
  kernel.boundBy = boundBy(from.bounds, from.cycles / cores).str();
  kernel.bounds = namedCycles(from.bounds);
  kernel.latency = latencyName(from.latency.largest()).str();
  for (int latency = 0; latency < kLatencies; ++latency)
    kernel.latencies.push_back(
        {latencyName(Latency(latency)).str(), from.latency[Latency(latency)]});
  return kernel;
}

} // namespace

Report publicReport(const LoadedProgram &program, const RunStats &stats,
                    std::optional<double> emulateSeconds) {
  systole::Report from = makeReport(program.program(), stats, program.target());
  from.timingOnly = !emulateSeconds;
  from.emulateSeconds = emulateSeconds.value_or(0);
  Report report;
  report.program = from.program;
  report.target = from.target;
  report.targetHash = from.targetHash;
  report.precision = from.precision;
  report.timingOnly = from.timingOnly;
  report.cores = from.cores;
  report.chips = from.chips;
  report.cycles = from.cycles;
  report.deviceSeconds = from.deviceSeconds;
  report.flops = from.flops;
  report.peakFlopsPerSecond = from.peakFlopsPerSecond;
  report.hbmBytesPerSecond = from.hbmBytesPerSecond;
  report.mxuBusyCycles = from.mxuBusyCycles;
  report.mxuPushes = from.mxuPushes;
  report.mxuLatchCycles = from.mxuLatchCycles;
  report.mxuLatches = from.mxuLatches;
  report.mxuUtilization = from.mxuUtilization();
  report.hbmReadBytes = from.hbmReadBytes;
  report.hbmWriteBytes = from.hbmWriteBytes;
  report.hostSentBytes = from.hostSentBytes;
  report.hostReceivedBytes = from.hostReceivedBytes;
  report.hostCycles = from.hostCycles;
  report.hbmPeakBytes = from.hbmPeakBytes;
  report.hbmPaddingBytes = from.hbmPaddingBytes;
  report.vmemPeakBytes = from.vmemPeakBytes;
  report.bundles = from.bundles;
  report.programBundles = from.programBundles;
  report.boundBy = boundBy(from.bounds, from.cycles).str();
  report.bounds = namedCycles(from.bounds);
  for (const CycleUse &use : from.cycleUses)
    report.cycleUses.push_back({use.name, use.cycles});
  for (const systole::KernelReport &kernel : from.kernels)
    report.kernels.push_back(publicKernel(kernel, from.cores));
  for (const systole::AssumptionReport &assumption : from.assumptions)
    report.assumptions.push_back({assumption.what, assumption.source, assumption.times});
  report.compileSeconds = from.compileSeconds;
  report.emulateSeconds = from.emulateSeconds;
  report.usd = from.usd;
  report.usdPreemptible = from.usdPreemptible;
  const MemoryReport memory = memoryReport(program.program().header);
  llvm::json::Object json = toJson(from);
  json["memory"] = toJson(memory);
  report.json = llvm::formatv("{0}", llvm::json::Value(std::move(json))).str();
  report.text = toText(from) + toText(memory);
  return report;
}

} // namespace systole::v0
