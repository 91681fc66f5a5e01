// Reports of runs on several cores of a slice.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/SliceReport.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/LinkRates.h"
#include "dialects/Machine/Target/Topology.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Report.h"
#include "runtime/Report/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole {
namespace {

constexpr size_t kMostRows = 32;

const LinkReport *busiestLink(const SliceReport &slice) {
  const auto busiest = std::ranges::max_element(slice.links, {}, &LinkReport::bytes);
  return busiest == slice.links.end() ? nullptr : &*busiest;
}

std::string rateText(double gbPerSecond) {
  std::string text = llvm::formatv("{0:f1}", gbPerSecond).str();
  return llvm::StringRef(text).ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

// Prints the first rows, and how many more there are.
template <typename T, typename Row>
void printTable(llvm::raw_ostream &out, Table table, const std::vector<T> &rows, Row row) {
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i)
    table.add(row(i, rows[i]));
  table.print(out);
  if (rows.size() > kMostRows)
    out << "and " << rows.size() - kMostRows << " more\n";
}

} // namespace

static std::vector<WholeOperationReport> wholeOperations(const program::ProgramHeader &header) {
  std::vector<WholeOperationReport> result;
  for (const program::WholeOperation &operation : header.whole_operations()) {
    const std::string &source = shownLine(locationOf(header, operation.location()));
    const auto same = std::ranges::find_if(result, [&](const WholeOperationReport &other) {
      return other.name == operation.name() && other.source == source;
    });
    if (same == result.end())
      result.push_back({operation.name(), source, 1});
    else
      ++same->count;
  }
  return result;
}

SliceReport sliceReport(const Program &program, const RunStats &stats, const Target &target) {
  SliceReport slice;
  slice.wholeOperations = wholeOperations(program.header);
  slice.sentBytes = stats.total.sentBytes;
  if (stats.places.empty())
    return slice;
  const Topology topology(target, stats.sliceCores);
  for (size_t i = 0; i < std::min(stats.places.size(), stats.coreCycles.size()); ++i)
    slice.cores.push_back({stats.places[i], topology.chipOf(stats.places[i]), stats.coreCycles[i]});
  for (size_t i = 0; i < stats.links.size(); ++i)
    if (stats.links[i].bytes > 0)
      slice.links.push_back({topology.nameOf(int(i)), stats.links[i].bytes, stats.links[i].cycles});
  if (const LinkReport *busiest = busiestLink(slice))
    for (const LinkRate &rate : linkRates(target)) {
      const double seconds = double(busiest->bytes) / (rate.gbPerSecond * 1e9);
      slice.linkBounds.push_back(
          {rate.gbPerSecond, int64_t(std::ceil(seconds * target.clockHz())), seconds, rate.source});
    }
  return slice;
}

bool isCollective(const KernelReport &kernel) { return kernel.kind == kCollective; }

int64_t collectiveCycles(const Report &report) {
  int64_t cycles = 0;
  for (const KernelReport &kernel : report.kernels)
    cycles += isCollective(kernel) ? kernel.cycles : 0;
  return cycles;
}

llvm::json::Object toJson(const SliceReport &slice, const Report &report) {
  llvm::json::Array cores, links, bounds;
  for (const CoreReport &core : slice.cores)
    cores.push_back(
        llvm::json::Object{{"place", core.place}, {"chip", core.chip}, {"cycles", core.cycles}});
  for (const LinkReport &link : slice.links)
    links.push_back(llvm::json::Object{
        {"name", link.name},
        {"bytes", link.bytes},
        {"cycles", link.cycles},
        {"utilization", report.cycles > 0 ? double(link.cycles) / double(report.cycles) : 0.0}});
  for (const LinkBound &bound : slice.linkBounds)
    bounds.push_back(llvm::json::Object{{"gb_per_second", bound.gbPerSecond},
                                        {"cycles", bound.cycles},
                                        {"seconds", bound.seconds},
                                        {"source", bound.source}});
  llvm::json::Array whole;
  for (const WholeOperationReport &operation : slice.wholeOperations)
    whole.push_back(llvm::json::Object{
        {"name", operation.name}, {"source", operation.source}, {"count", operation.count}});
  const int64_t all = report.coreCycles(), collective = collectiveCycles(report);
  return llvm::json::Object{
      {"cores", std::move(cores)},
      {"links", std::move(links)},
      {"link_bounds", std::move(bounds)},
      {"sent_bytes", slice.sentBytes},
      {"collective_cycles", collective},
      {"whole_operations", std::move(whole)},
      {"collective_share", all > 0 ? double(collective) / double(all) : 0.0},
  };
}

void printSliceTotals(const Report &report, llvm::raw_ostream &out) {
  const SliceReport &slice = report.slice;
  if (slice.cores.empty())
    return;
  auto line = [&](llvm::StringRef title, const llvm::Twine &value) {
    out << llvm::left_justify(title, 18) << value << '\n';
  };
  line("collectives", percent(collectiveCycles(report), report.coreCycles()) +
                          " of the cycles of all cores, " + scaled(slice.sentBytes, "B") +
                          " sent between cores");
  const LinkReport *busiest = busiestLink(slice);
  if (!busiest)
    return;
  line("busiest link", busiest->name + ", " + scaled(busiest->bytes, "B") + ", busy " +
                           percent(busiest->cycles, report.cycles) + " of the time");
  std::string bounds;
  for (const LinkBound &bound : slice.linkBounds)
    bounds += (bounds.empty() ? "" : ", ") + scaled(bound.seconds, "s") + " at " +
              rateText(bound.gbPerSecond) + " GB/s";
  line("needs at least", bounds);
}

void printSlice(const Report &report, llvm::raw_ostream &out) {
  const SliceReport &slice = report.slice;
  if (slice.cores.empty())
    return;
  out << "\nWhen each core is done\n";
  printTable(out, Table({"core", "of the slice", "chip", "cycles", "of all"}, 5), slice.cores,
             [&](size_t i, const CoreReport &core) {
               return std::vector{std::to_string(i), std::to_string(core.place),
                                  std::to_string(core.chip), grouped(core.cycles),
                                  percent(core.cycles, report.cycles)};
             });
  std::vector<KernelReport> collectives;
  std::ranges::copy_if(report.kernels, std::back_inserter(collectives), isCollective);
  std::ranges::stable_sort(collectives, std::greater(), &KernelReport::cycles);
  if (!collectives.empty()) {
    out << "\nCollective operations by cycles\n";
    printTable(out,
               Table({"operation", "calls", "cycles", "of all", "stalled", "sent", "source"}, 6),
               collectives, [&](size_t, const KernelReport &kernel) {
                 return std::vector{kernel.name,
                                    grouped(kernel.calls),
                                    grouped(kernel.cycles),
                                    percent(kernel.cycles, report.coreCycles()),
                                    percent(kernel.stallCycles, kernel.cycles),
                                    scaled(kernel.sentBytes, "B"),
                                    kernel.userSource.empty() ? kernel.source : kernel.userSource};
               });
  }
  if (!slice.wholeOperations.empty()) {
    out << "\nOperations on whole arrays, gathered for each core\n";
    printTable(out, Table({"operation", "count", "source"}, 2), slice.wholeOperations,
               [&](size_t, const WholeOperationReport &operation) {
                 return std::vector{operation.name, grouped(operation.count), operation.source};
               });
  }
  if (slice.links.empty())
    return;
  out << "\nLinks between chips\n";
  printTable(out, Table({"link", "bytes", "busy cycles", "of all"}, 4), slice.links,
             [&](size_t, const LinkReport &link) {
               return std::vector{link.name, scaled(link.bytes, "B"), grouped(link.cycles),
                                  percent(link.cycles, report.cycles)};
             });
}

} // namespace systole
