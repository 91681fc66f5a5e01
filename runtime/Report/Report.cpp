// Reports as JSON, and the figures that both forms derive.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Report.h"

#include <algorithm>

#include "runtime/Report/Modules.h"
#include "llvm/ADT/STLExtras.h"

namespace systole {

llvm::StringRef unitName(Unit unit) {
  static constexpr std::array<const char *, kUnits> names = {"mxu", "valu", "load", "store",
                                                             "xlu", "eup",  "hbm"};
  return names[static_cast<size_t>(unit)];
}

llvm::StringRef boundBy(const UnitBounds &bounds, int64_t cycles) {
  auto largest = std::max_element(bounds.cycles.begin(), bounds.cycles.end());
  if (*largest == 0 || *largest < (cycles + 1) / 2)
    return "latency";
  return unitName(static_cast<Unit>(largest - bounds.cycles.begin()));
}

std::string boundText(const KernelReport &kernel, int cores) {
  std::string text = boundBy(kernel.bounds, kernel.cycles / cores).str();
  if (text == "latency")
    text += (" (" + latencyName(kernel.latency.largest()) + ")").str();
  return text;
}

std::vector<Latency> latenciesOf(const Report &report) {
  std::vector<Latency> found;
  for (int i = 0; i < kLatencies; ++i)
    if (llvm::any_of(report.kernels, [&](const KernelReport &kernel) {
          return kernel.name != kSequencer && int(kernel.latency.largest()) == i &&
                 boundBy(kernel.bounds, kernel.cycles / report.cores) == "latency";
        }))
      found.push_back(static_cast<Latency>(i));
  return found;
}

std::string Report::boundBy() const {
  int64_t busiest = 0;
  for (const LinkReport &link : slice.links)
    busiest = std::max(busiest, link.cycles);
  if (busiest >= (cycles + 1) / 2 && busiest > *llvm::max_element(bounds.cycles))
    return "link";
  return systole::boundBy(bounds, cycles).str();
}

double Report::mxuUtilization() const {
  double capacity = static_cast<double>(cycles) * mxus;
  return capacity > 0 ? mxuBusyCycles / capacity : 0;
}

static llvm::json::Object toJson(const UnitBounds &bounds) {
  llvm::json::Object object;
  for (int unit = 0; unit < kUnits; ++unit)
    object[unitName(static_cast<Unit>(unit))] = bounds.cycles[unit];
  return object;
}

static llvm::json::Object toJson(const LatencyUse &use) {
  llvm::json::Object object;
  for (int i = 0; i < kLatencies; ++i)
    object[latencyName(static_cast<Latency>(i))] = use.cycles[i];
  return object;
}

llvm::json::Object toJson(const KernelReport &kernel, int cores) {
  const ModulePath path = modulePath(kernel.nameStack);
  return llvm::json::Object{
      {"name", kernel.name},
      {"kind", kernel.kind},
      {"source", kernel.source},
      {"user_source", kernel.userSource},
      {"name_stack", kernel.nameStack},
      {"module", path.module},
      {"backward", path.backward},
      {"calls", kernel.calls},
      {"cycles", kernel.cycles},
      {"estimated_cycles", kernel.estimatedCycles},
      {"stall_cycles", kernel.stallCycles},
      {"delay_cycles", kernel.delayCycles},
      {"flops", kernel.flops},
      {"bytes", kernel.bytes},
      {"sent_bytes", kernel.sentBytes},
      {"bound_by", boundBy(kernel.bounds, kernel.cycles / cores)},
      {"bound_cycles", toJson(kernel.bounds)},
      {"latency", latencyName(kernel.latency.largest())},
      {"latency_cycles", toJson(kernel.latency)},
  };
}

llvm::json::Object toJson(const Report &report) {
  llvm::json::Object uses;
  for (const CycleUse &use : report.cycleUses)
    uses[use.name] = use.cycles;
  llvm::json::Array kernels;
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(toJson(kernel, report.cores));
  llvm::json::Object hints;
  for (Latency latency : latenciesOf(report))
    hints[latencyName(latency)] = latencyHint(latency);
  llvm::json::Array assumptions;
  for (const AssumptionReport &assumption : report.assumptions)
    assumptions.push_back(llvm::json::Object{
        {"what", assumption.what}, {"source", assumption.source}, {"times", assumption.times}});
  llvm::json::Object object{
      {"assumptions", std::move(assumptions)},
      {"latency_hints", std::move(hints)},
      {"program", report.program},
      {"target", report.target},
      {"target_hash", report.targetHash},
      {"precision", report.precision},
      {"timing_only", report.timingOnly},
      {"cores", report.cores},
      {"target_cores", report.targetCores},
      {"chips", report.chips},
      {"cycles", report.cycles},
      {"device_seconds", report.deviceSeconds},
      {"flops", report.flops},
      {"peak_flops_per_second", report.peakFlopsPerSecond},
      {"hbm_bytes_per_second", report.hbmBytesPerSecond},
      {"mxu_busy_cycles", report.mxuBusyCycles},
      {"mxu_pushes", report.mxuPushes},
      {"mxu_latch_cycles", report.mxuLatchCycles},
      {"mxu_latches", report.mxuLatches},
      {"mxu_utilization", report.mxuUtilization()},
      {"hbm_read_bytes", report.hbmReadBytes},
      {"hbm_write_bytes", report.hbmWriteBytes},
      {"host_sent_bytes", report.hostSentBytes},
      {"host_received_bytes", report.hostReceivedBytes},
      {"host_cycles", report.hostCycles},
      {"hbm_peak_bytes", report.hbmPeakBytes},
      {"hbm_padding_bytes", report.hbmPaddingBytes},
      {"vmem_peak_bytes", report.vmemPeakBytes},
      {"bundles", report.bundles},
      {"program_bundles", report.programBundles},
      {"bound_by", report.boundBy()},
      {"bound_cycles", toJson(report.bounds)},
      {"cycle_uses", std::move(uses)},
      {"kernels", std::move(kernels)},
      {"verifier_refusal", report.verifierRefusal},
      {"compile_seconds", report.compileSeconds},
      {"emulate_seconds", report.emulateSeconds},
      {"usd", report.usd},
      {"usd_preemptible", report.usdPreemptible},
      {"examples", report.examples},
      {"examples_per_second", report.examplesPerSecond()},
  };
  if (report.cores > 1)
    object["slice"] = toJson(report.slice, report);
  return object;
}

} // namespace systole
