// Makes a report of the emulator's counts.
// See docs/decisions/emulator-and-reports.md.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Memory.h"
#include "runtime/Report/Report.h"
#include "llvm/Support/MathExtras.h"

namespace systole {
namespace {

constexpr int64_t kMaxFlops = int64_t(1) << 61;

int64_t ceilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }

// `stats` are summed over `cores` cores.
UnitBounds boundsOf(const KernelStats &stats, const Target &target, int cores) {
  const UnitUse &use = stats.use;
  UnitBounds bounds;
  const isa::BundleFormat slots = target.bundleFormat();
  // Weights are loaded into the shadow latch in parallel with pushes.
  bounds[Unit::Mxu] = ceilDiv(std::max(use.mxuCycles, use.mxuLatchCycles),
                              int64_t(cores) * std::max(1, target.mxusPerCore()));
  bounds[Unit::Valu] = ceilDiv(use.valuOps, cores * slots.count(isa::Slot::Vector));
  bounds[Unit::Load] = ceilDiv(use.loads, cores * slots.count(isa::Slot::Load));
  bounds[Unit::Store] = ceilDiv(use.stores, cores * slots.count(isa::Slot::Store));
  bounds[Unit::Xlu] = ceilDiv(use.xluCycles, cores);
  bounds[Unit::Eup] = ceilDiv(use.eupCycles, cores);
  bounds[Unit::Hbm] = ceilDiv(stats.hbmCycles, cores);
  return bounds;
}

KernelReport kernelReport(const KernelStats &stats, const Target &target, int cores) {
  KernelReport kernel;
  kernel.calls = stats.calls;
  kernel.cycles = stats.cycles;
  kernel.stallCycles = stats.waitCycles + stats.overlayCycles;
  kernel.delayCycles = stats.use.delayCycles;
  kernel.bytes = stats.hbmReadBytes + stats.hbmWriteBytes;
  kernel.sentBytes = stats.sentBytes;
  kernel.bounds = boundsOf(stats, target, cores);
  kernel.latency = latencyUse(stats);
  return kernel;
}

// A kernel of the header with the counts of its calls from one location.
struct Group {
  const program::Kernel *kernel;
  KernelStats stats;
};

// Each execution passes through all ranges of an entry: ranges that are a part of another entry
// do not count as calls.
std::vector<Group> groupRanges(const program::ProgramHeader &header, const RunStats &stats) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, int32_t>, size_t> places;
  const size_t ranges = std::min<size_t>(header.kernels_size(), stats.kernels.size());
  for (size_t index = 0; index < ranges; ++index) {
    const program::Kernel &kernel = header.kernels(index);
    const KernelStats &range = stats.kernels[index];
    if (range.calls == 0 && range.cycles == 0)
      continue;
    auto [place, added] = places.try_emplace({kernel.name(), kernel.location()}, groups.size());
    if (added)
      groups.push_back({&kernel, KernelStats()});
    KernelStats &sum = groups[place->second].stats;
    sum.add(range);
    if (kernel.part_of() > 0)
      sum.calls -= range.calls;
  }
  return groups;
}

// The line of the narrowest source range around a bundle.
std::string lineOf(const program::ProgramHeader &header, int64_t bundle) {
  const program::SourceRange *best = nullptr;
  auto size = [](const program::Range &range) { return range.end() - range.begin(); };
  for (const program::SourceRange &source : header.sources())
    if (source.bundles().begin() <= bundle && bundle < source.bundles().end() &&
        (!best || size(source.bundles()) < size(best->bundles())))
      best = &source;
  return best ? locationOf(header, best->location()).source() : "";
}

} // namespace

Report makeReport(const Program &program, const RunStats &stats, const Target &target) {
  const program::ProgramHeader &header = program.header;
  const KernelStats &total = stats.total;
  const int cores = std::max(1, header.cores());
  Report report;
  report.program = header.name();
  report.target = target.name();
  report.targetHash = target.hash();
  report.precision = header.precision();
  report.cores = cores;
  report.targetCores = target.cores();
  report.chips = target.chips();
  report.mxus = cores * target.mxusPerCore();

  report.cycles = stats.cycles;
  report.deviceSeconds = target.seconds(stats.cycles);
  report.peakFlopsPerSecond = target.peakFlopsPerCycle() * target.clockHz() * cores;
  report.hbmBytesPerSecond = target.hbmBytesPerCycle() * target.clockHz() * cores;
  report.mxuBusyCycles = total.use.mxuCycles;
  report.mxuPushes = total.use.mxuPushes;
  report.mxuLatchCycles = total.use.mxuLatchCycles;
  report.mxuLatches = total.use.mxuLatches;
  report.hbmReadBytes = total.hbmReadBytes;
  report.hbmWriteBytes = total.hbmWriteBytes;
  report.hostSentBytes = total.hostSentBytes;
  report.hostReceivedBytes = total.hostReceivedBytes;
  report.hostCycles = total.hostCycles;
  report.hbmPeakBytes = header.hbm_rows() * isa::kRowBytes;
  const MemoryReport memory = memoryReport(header);
  for (const BufferReport &buffer : memory.buffers)
    if (memory.isLiveAtPeak(buffer))
      report.hbmPaddingBytes += buffer.paddingBytes;
  report.vmemPeakBytes = header.vmem_rows() * isa::kRowBytes;
  report.bundles = total.use.bundles;
  report.programBundles = program.code.size();
  report.bounds = boundsOf(total, target, cores);
  report.cycleUses = {
      {"bundles", "bundles that issue", total.use.bundles},
      {"delay", "empty cycles, latency that nothing covers", total.use.delayCycles},
      {"wait", "waiting for copies", total.waitCycles},
      {"control", "after taken control transfers", total.controlCycles},
      {"overlay", "waiting for instruction memory", total.overlayCycles},
      {"idle", "cores that are done before the last", stats.cycles * cores - total.cycles},
  };

  for (const Group &group : groupRanges(header, stats)) {
    KernelReport kernel = kernelReport(group.stats, target, cores);
    kernel.name = group.kernel->name();
    kernel.kind = group.kernel->kind();
    const program::Location &from = locationOf(header, group.kernel->location());
    kernel.source = from.source();
    kernel.userSource = from.user();
    kernel.nameStack = from.name_stack();
    // A header's figures are untrusted; sums of these stay in range.
    kernel.flops = std::min<uint64_t>(
        llvm::SaturatingMultiply<uint64_t>(group.kernel->flops(), kernel.calls), kMaxFlops);
    kernel.estimatedCycles = int64_t(std::min<uint64_t>(
        llvm::SaturatingMultiply<uint64_t>(group.kernel->estimated_cycles(), kernel.calls),
        INT64_MAX));
    report.flops = std::min(report.flops + kernel.flops, kMaxFlops);
    report.kernels.push_back(std::move(kernel));
  }
  if (stats.outside.cycles > 0) {
    report.kernels.push_back(kernelReport(stats.outside, target, cores));
    report.kernels.back().name = kSequencer;
    report.kernels.back().kind = "sequencer";
  }
  report.slice = sliceReport(program, stats, target);
  for (const Assumption &assumption : stats.assumptions)
    report.assumptions.push_back({assumption.kind == Assumption::Kind::Branch
                                      ? "the costlier branch of a conditional"
                                      : "the number of a loop's iterations",
                                  lineOf(header, assumption.bundle), assumption.times});
  // Programs without kernels still have the flops of their source.
  if (report.flops == 0)
    report.flops = header.flops();

  report.compileSeconds = header.compile_seconds();
  report.verifierRefusal = header.verifier_refusal();
  report.usd = target.usd(report.deviceSeconds, "on-demand").value_or(0);
  report.usdPreemptible = target.usd(report.deviceSeconds, "preemptible").value_or(0);
  return report;
}

} // namespace systole
