// Why a program takes its cycles: what bounds each kernel, what each of its copies is for, and what
// the planner decided.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Explain.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// The buffer that lies in a region of HBM while a kernel runs; null if there is none.
const program::Allocation *bufferAt(const program::ProgramHeader &header, int region,
                                    int64_t step) {
  const program::Region &r = header.regions(region);
  const program::Allocation *found = nullptr;
  for (const program::Allocation &each : header.allocations()) {
    if (each.space() != program::HBM || each.base() != r.base() || each.size() != r.size())
      continue;
    const bool isAlways = each.begin() == 0 && each.end() == 0;
    if (isAlways || (each.begin() <= step && step <= each.end()))
      return &each;
    if (!found)
      found = &each;
  }
  return found;
}

CopyReport copyReport(const program::ProgramHeader &header, const CopyStats &copy) {
  CopyReport result;
  result.reads = copy.reads;
  result.copies = copy.copies;
  result.bytes = copy.bytes;
  result.buffer = header.regions(copy.region).name();
  const int64_t step = copy.kernel < 0 ? 0 : header.kernels(copy.kernel).step();
  if (const program::Allocation *buffer = bufferAt(header, copy.region, step)) {
    result.bufferBytes = buffer->size() * isa::kRowBytes;
    result.bufferPaddingBytes =
        std::clamp<int64_t>(result.bufferBytes - buffer->payload_bytes(), 0, result.bufferBytes);
    result.buffer = buffer->name();
    result.source = locationOf(header, buffer->location()).source();
  }
  return result;
}

// The name, line and name stack of a kernel, which tell the kernels of a report apart.
using Place = std::tuple<std::string, std::string, std::string>;

Place placeOf(const program::Kernel &kernel, const program::ProgramHeader &header) {
  const program::Location &from = locationOf(header, kernel.location());
  return {kernel.name(), from.source(), from.name_stack()};
}

std::map<Place, std::vector<CopyReport>> copiesByKernel(const program::ProgramHeader &header,
                                                        const RunStats &stats) {
  std::map<Place, std::vector<CopyReport>> result;
  for (const CopyStats &copy : stats.copies) {
    Place place{kSequencer, "", ""};
    if (copy.kernel >= 0)
      place = placeOf(header.kernels(copy.kernel), header);
    std::vector<CopyReport> &copies = result[place];
    CopyReport next = copyReport(header, copy);
    auto same = llvm::find_if(copies, [&](const CopyReport &each) {
      return each.buffer == next.buffer && each.source == next.source && each.reads == next.reads;
    });
    if (same == copies.end()) {
      copies.push_back(std::move(next));
      continue;
    }
    same->copies += next.copies;
    same->bytes += next.bytes;
  }
  return result;
}

PlanReport planReport(const KernelDecision &decision, const Decisions &decisions,
                      const std::map<int64_t, const program::Kernel *> &kernels,
                      const program::ProgramHeader &header) {
  PlanReport report{decision.plan, decision.alternatives, {}, decision.padding};
  for (const ReaderDecision &reader : decision.readers) {
    auto found = kernels.find(decisions[reader.reader].step);
    if (found == kernels.end())
      continue; // of empty arrays
    report.readers.push_back({found->second->name(),
                              locationOf(header, found->second->location()).source(), reader.reason,
                              reader.oneKernel, reader.twoKernels});
  }
  return report;
}

// Decisions by the name and line of their kernel. Kernels of one name are equal but for what reads
// their results.
std::map<Place, PlanReport> plansByKernel(const program::ProgramHeader &header,
                                          const Decisions &decisions) {
  std::map<int64_t, const program::Kernel *> kernels;
  for (const program::Kernel &kernel : header.kernels())
    if (kernel.step() > 0)
      kernels.try_emplace(kernel.step(), &kernel);
  std::map<Place, PlanReport> result;
  for (const KernelDecision &decision : decisions) {
    auto found = kernels.find(decision.step);
    if (found == kernels.end())
      continue; // of empty arrays
    PlanReport report = planReport(decision, decisions, kernels, header);
    auto [known, isNew] = result.try_emplace(placeOf(*found->second, header), report);
    for (ReaderReport &reader : report.readers)
      if (!isNew && !llvm::is_contained(known->second.readers, reader))
        known->second.readers.push_back(std::move(reader));
  }
  return result;
}

void printBounds(const KernelReport &kernel, int cores, llvm::raw_ostream &out) {
  std::vector<int> units;
  for (int unit = 0; unit < kUnits; ++unit)
    if (kernel.bounds.cycles[size_t(unit)] > 0)
      units.push_back(unit);
  llvm::stable_sort(units, [&](int a, int b) {
    return kernel.bounds.cycles[size_t(a)] > kernel.bounds.cycles[size_t(b)];
  });
  out << "   units:";
  for (int unit : units)
    out << (unit == units.front() ? " " : ", ") << unitName(static_cast<Unit>(unit)) << ' '
        << percent(double(kernel.bounds.cycles[size_t(unit)]) * cores, double(kernel.cycles));
  out << "\n   cycles:";
  bool isFirst = true;
  for (int i = 0; i < kLatencies; ++i) {
    const int64_t cycles = kernel.latency.cycles[size_t(i)];
    if (cycles == 0)
      continue;
    out << (isFirst ? " " : ", ") << latencyName(static_cast<Latency>(i)) << ' '
        << percent(double(cycles), double(kernel.cycles));
    isFirst = false;
  }
  out << '\n';
}

void printKernel(const KernelExplanation &kernel, size_t number, const Report &report,
                 llvm::raw_ostream &out) {
  const KernelReport &costs = kernel.kernel;
  out << '\n'
      << number << ". " << costs.name << ": " << grouped(costs.cycles) << " cycles, "
      << percent(double(costs.cycles), double(report.coreCycles())) << " of all, "
      << grouped(costs.calls) << (costs.calls == 1 ? " call" : " calls") << ", bound by "
      << boundText(costs, report.cores) << '\n';
  const std::string &line = costs.userSource.empty() ? costs.source : costs.userSource;
  if (!line.empty())
    out << "   " << line << '\n';
  printBounds(costs, report.cores, out);
  if (kernel.plan)
    print(*kernel.plan, out);
  if (kernel.copies.empty())
    return;
  Table table({"   copies", "buffer", "number", "bytes", "buffer's padding", "source"}, 5);
  for (const CopyReport &copy : kernel.copies)
    table.add({copy.reads ? "   read" : "   write", copy.buffer, grouped(copy.copies),
               scaled(double(copy.bytes), "B"),
               percent(double(copy.bufferPaddingBytes), double(copy.bufferBytes)), copy.source});
  table.print(out);
}

} // namespace

Explanation explain(const Program &program, const RunStats &stats, const Target &target,
                    const Decisions &decisions) {
  Explanation result{makeReport(program, stats, target), {}, memoryReport(program.header)};
  std::map<Place, std::vector<CopyReport>> copies = copiesByKernel(program.header, stats);
  std::map<Place, PlanReport> plans = plansByKernel(program.header, decisions);
  for (const KernelReport &kernel : result.report.kernels) {
    const Place place{kernel.name, kernel.source, kernel.nameStack};
    std::vector<CopyReport> own = copies[place];
    llvm::stable_sort(own,
                      [](const CopyReport &a, const CopyReport &b) { return a.bytes > b.bytes; });
    auto plan = plans.find(place);
    result.kernels.push_back(
        {kernel, std::move(own), plan == plans.end() ? std::nullopt : std::optional(plan->second)});
  }
  llvm::stable_sort(result.kernels,
                    [](const auto &a, const auto &b) { return a.kernel.cycles > b.kernel.cycles; });
  return result;
}

llvm::json::Object toJson(const Explanation &explanation) {
  llvm::json::Array kernels;
  for (const KernelExplanation &kernel : explanation.kernels) {
    llvm::json::Array copies;
    for (const CopyReport &copy : kernel.copies)
      copies.push_back(llvm::json::Object{{"buffer", copy.buffer},
                                          {"source", copy.source},
                                          {"reads", copy.reads},
                                          {"copies", copy.copies},
                                          {"bytes", copy.bytes},
                                          {"buffer_bytes", copy.bufferBytes},
                                          {"buffer_padding_bytes", copy.bufferPaddingBytes}});
    llvm::json::Object object = toJson(kernel.kernel, explanation.report.cores);
    object["copies"] = std::move(copies);
    if (kernel.plan)
      addJson(*kernel.plan, object);
    kernels.push_back(std::move(object));
  }
  llvm::json::Object object = toJson(explanation.report);
  object["kernels"] = std::move(kernels);
  object["memory"] = toJson(explanation.memory);
  return object;
}

std::string toText(const Explanation &explanation, size_t most) {
  const Report &report = explanation.report;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (report.program.empty() ? "(unnamed)" : report.program) << " on " << report.target << ": "
      << grouped(report.cycles) << " cycles, " << scaled(report.deviceSeconds, "s") << ", bound by "
      << report.boundBy() << '\n';
  const size_t count = explanation.kernels.size();
  const size_t shown = most == 0 ? count : std::min(most, count);
  for (size_t i = 0; i < shown; ++i)
    printKernel(explanation.kernels[i], i + 1, report, out);
  if (shown < count)
    out << '\n' << grouped(int64_t(count - shown)) << " more; --kernels 0 explains all\n";
  for (Latency latency : latenciesOf(report))
    out << '\n' << latencyName(latency) << ": " << latencyHint(latency) << '\n';
  out << toText(explanation.memory);
  return text;
}

} // namespace systole
