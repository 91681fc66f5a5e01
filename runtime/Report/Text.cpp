// Reports as aligned tables.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "runtime/Report/Modules.h"
#include "runtime/Report/Report.h"
#include "runtime/Report/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

constexpr size_t kMostKernels = 20;
constexpr size_t kWidestName = 40, kWidestStack = 60;

std::string dollars(double usd) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g USD", usd);
  return text;
}

void printTotals(const Report &report, llvm::raw_ostream &out) {
  auto line = [&](llvm::StringRef title, const llvm::Twine &value) {
    out << llvm::left_justify(title, 18) << value << '\n';
  };
  const double seconds = report.deviceSeconds;
  const int64_t bytes = report.hbmReadBytes + report.hbmWriteBytes;
  line("program", (report.program.empty() ? "(unnamed)" : report.program) +
                      (report.precision.empty() ? "" : ", precision " + report.precision) +
                      (report.timingOnly ? ", timing only" : ""));
  const std::string some =
      report.cores == report.targetCores ? "" : std::to_string(report.cores) + " of ";
  line("target", report.target + " (" + some + llvm::Twine(report.targetCores) +
                     (report.targetCores == 1 ? " core" : " cores") + "), description " +
                     report.targetHash.substr(0, 16));
  line("device time", scaled(seconds, "s") + ", " + grouped(report.cycles) + " cycles");
  if (report.flops > 0 && seconds > 0)
    line("useful flops",
         scaled(report.flops, "flop") + ", " + scaled(report.flops / seconds, "flop/s") + ", " +
             percent(report.flops / seconds, report.peakFlopsPerSecond) + " of the peak");
  line("MXU utilisation", percent(report.mxuUtilization(), 1) + ", busy " +
                              grouped(report.mxuBusyCycles) + " of " + llvm::Twine(report.mxus) +
                              " x " + grouped(report.cycles) + " cycles");
  if (report.mxuPushes > 0)
    line("MXU work", grouped(report.mxuPushes) + " pushes of 8 rows, " +
                         grouped(report.mxuLatches) + " of weights (" +
                         grouped(report.mxuLatchCycles) + " cycles beside the pushes)");
  line("HBM traffic", scaled(report.hbmReadBytes, "B") + " read, " +
                          scaled(report.hbmWriteBytes, "B") + " written" +
                          (seconds > 0 ? ", " + scaled(bytes / seconds, "B/s") : ""));
  if (report.hostCycles > 0)
    line("host link", scaled(report.hostSentBytes, "B") + " sent, " +
                          scaled(report.hostReceivedBytes, "B") + " received, " +
                          grouped(report.hostCycles) + " cycles");
  printSliceTotals(report, out);
  line("memory in use", scaled(report.hbmPeakBytes, "B") + " HBM (" +
                            percent(report.hbmPaddingBytes, report.hbmPeakBytes) + " padding), " +
                            scaled(report.vmemPeakBytes, "B") + " VMEM" +
                            (report.cores > 1 ? " of each core" : ""));
  line("bundles",
       grouped(report.bundles) + " issued, " + grouped(report.programBundles) + " in the program");
  line("price",
       dollars(report.usd) + " on demand" +
           (report.usdPreemptible > 0 ? ", " + dollars(report.usdPreemptible) + " preemptible"
                                      : "") +
           " (" + llvm::Twine(report.chips) + (report.chips == 1 ? " chip)" : " chips)"));
  if (report.examples > 0)
    line("examples", grouped(report.examples) + ", " +
                         grouped(int64_t(report.examplesPerSecond())) + " a second, " +
                         dollars(1e6 * report.usd / double(report.examples)) + " a million");
  if (!report.verifierRefusal.empty())
    line("verifier", "refused optimizations across kernels: " + report.verifierRefusal);
  line("time here", scaled(report.compileSeconds, "s") + " to compile, " +
                        scaled(report.emulateSeconds, "s") + " to emulate");
}

void printBounds(const Report &report, llvm::raw_ostream &out) {
  static constexpr std::array<const char *, kUnits> titles = {
      "MXU", "vector ALUs", "vector load", "vector store", "cross-lane", "transcendental", "HBM"};
  out << "\nWhat each unit alone would need\n";
  Table table({"unit", "cycles", "of all"}, 3);
  for (int unit = 0; unit < kUnits; ++unit)
    table.add({titles[unit], grouped(report.bounds.cycles[unit]),
               percent(report.bounds.cycles[unit], report.cycles)});
  if (!report.slice.linkBounds.empty()) {
    const int64_t cycles = report.slice.linkBounds.front().cycles;
    table.add({"busiest link", grouped(cycles), percent(cycles, report.cycles)});
  }
  table.print(out);
}

void printUses(const Report &report, llvm::raw_ostream &out) {
  if (report.cycleUses.empty())
    return;
  out << "\nWhere the cycles " << (report.cores == 1 ? "go\n" : "of all cores go\n");
  Table table({"", "cycles", "of all"}, 3);
  for (const CycleUse &use : report.cycleUses)
    if (use.cycles > 0)
      table.add({use.title, grouped(use.cycles), percent(use.cycles, report.coreCycles())});
  table.print(out);
}

std::string shortened(const std::string &name) {
  return name.size() <= kWidestName ? name : name.substr(0, kWidestName - 3) + "...";
}

// The end of a name stack, its most specific part.
std::string lastPart(const std::string &names) {
  return names.size() <= kWidestStack ? names
                                      : "..." + names.substr(names.size() - kWidestStack + 3);
}

// The user's own line, and in parentheses that of the library it calls.
std::string lines(const KernelReport &kernel) {
  if (kernel.userSource.empty())
    return kernel.source;
  llvm::StringRef library = kernel.source;
  for (llvm::StringRef folder : {"/site-packages/", "/dist-packages/"})
    if (size_t place = library.rfind(folder); place != llvm::StringRef::npos)
      library = library.substr(place + folder.size());
  return kernel.userSource + " (" + library.str() + ")";
}

void printKernels(const Report &report, llvm::raw_ostream &out) {
  if (report.kernels.empty())
    return;
  std::vector<const KernelReport *> kernels;
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](auto *a, auto *b) { return a->cycles > b->cycles; });
  const size_t shown = std::min(kernels.size(), kMostKernels);
  out << "\nKernels by cycles\n";
  Table table({"kernel", "calls", "cycles", "estimate", "of all", "stalled", "empty", "flops",
               "HBM bytes", "bound by", "source", "name stack"},
              8);
  for (const KernelReport *kernel : llvm::ArrayRef(kernels).take_front(shown))
    table.add({shortened(kernel->name), grouped(kernel->calls), grouped(kernel->cycles),
               kernel->estimatedCycles ? grouped(kernel->estimatedCycles) : "",
               percent(kernel->cycles, report.coreCycles()),
               percent(kernel->stallCycles, kernel->cycles),
               percent(kernel->delayCycles, kernel->cycles), scaled(kernel->flops, ""),
               scaled(kernel->bytes, ""), boundText(*kernel, report.cores), lines(*kernel),
               lastPart(kernel->nameStack)});
  table.print(out);
  if (shown < kernels.size()) {
    int64_t cycles = std::accumulate(
        kernels.begin() + shown, kernels.end(), int64_t(0),
        [](int64_t sum, const KernelReport *kernel) { return sum + kernel->cycles; });
    out << "and " << kernels.size() - shown << " more with " << grouped(cycles) << " cycles\n";
  }
}

void printModules(const Report &report, int depth, llvm::raw_ostream &out) {
  const std::vector<ModuleReport> modules = byModule(report, depth);
  if (modules.empty())
    return;
  out << "\nModules by cycles\n";
  Table table({"module", "calls", "cycles", "of all", "forward", "backward", "flops", "HBM bytes"},
              8);
  for (const ModuleReport &module : modules)
    table.add({lastPart(module.module), grouped(module.calls), grouped(module.cycles()),
               percent(module.cycles(), report.coreCycles()), grouped(module.forwardCycles),
               grouped(module.backwardCycles), scaled(module.flops, ""), scaled(module.bytes, "")});
  table.print(out);
}

void printAssumptions(const Report &report, llvm::raw_ostream &out) {
  if (report.assumptions.empty())
    return;
  out << "\nAssumed where control depends on data\n";
  Table table({"what", "times", "source"}, 2);
  for (const AssumptionReport &assumption : report.assumptions)
    table.add({assumption.what, grouped(assumption.times), assumption.source});
  table.print(out);
}

void printLatencies(const Report &report, llvm::raw_ostream &out) {
  const std::vector<Latency> latencies = latenciesOf(report);
  if (!latencies.empty())
    out << "\nWhat usually helps against latency\n";
  for (Latency latency : latencies)
    out << latencyName(latency) << ": " << latencyHint(latency) << '\n';
}

} // namespace

std::string toText(const Report &report, const TextOptions &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printTotals(report, out);
  printAssumptions(report, out);
  printBounds(report, out);
  printUses(report, out);
  printSlice(report, out);
  if (options.groupBy == GroupBy::Module)
    printModules(report, options.depth, out);
  else
    printKernels(report, out);
  printLatencies(report, out);
  return text;
}

} // namespace systole
