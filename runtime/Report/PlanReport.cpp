// What the planner decided about a kernel, as JSON and as text.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/PlanReport.h"

#include <cmath>

#include "runtime/Report/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace systole {
namespace {

llvm::json::Object toJson(const PlanDecision &plan) {
  llvm::json::Array axes;
  for (const AxisDecision &axis : plan.axes)
    axes.push_back(llvm::json::Object{{"value", axis.value},
                                      {"type", axis.type},
                                      {"dim", axis.dim},
                                      {"size", axis.size},
                                      {"tile", axis.tile}});
  return llvm::json::Object{{"axes", std::move(axes)},
                            {"steps", plan.steps},
                            {"kept", llvm::json::Array(plan.kept)},
                            {"estimated_cycles", std::llround(plan.cycles)}};
}

std::string axesText(const PlanDecision &plan) {
  std::string text;
  for (const AxisDecision &axis : plan.axes)
    text += llvm::formatv("{0}dim {1} of {2} {3} by {4}", text.empty() ? "" : ", then ", axis.dim,
                          axis.value, axis.type, axis.tile);
  return text.empty() ? "whole arrays" : text;
}

// "+12.3%"
std::string more(double cycles, double than) {
  if (than <= 0)
    return "";
  return llvm::formatv("{0}{1:f1}%", cycles < than ? "" : "+", 100 * (cycles - than) / than);
}

} // namespace

void addJson(const PlanReport &report, llvm::json::Object &kernel) {
  llvm::json::Array alternatives, readers;
  for (const PlanDecision &plan : report.alternatives)
    alternatives.push_back(toJson(plan));
  for (const ReaderReport &reader : report.readers)
    readers.push_back(llvm::json::Object{{"kernel", reader.kernel},
                                         {"source", reader.source},
                                         {"reason", reader.reason},
                                         {"one_kernel_cycles", std::llround(reader.oneKernel)},
                                         {"two_kernels_cycles", std::llround(reader.twoKernels)}});
  kernel["plan"] = toJson(report.plan);
  kernel["alternatives"] = std::move(alternatives);
  kernel["readers"] = std::move(readers);
  const PaddingCost &padding = report.padding;
  kernel["padding"] = llvm::json::Object{{"moved_bytes", padding.movedBytes},
                                         {"moved_padding_bytes", padding.movedPadding},
                                         {"block_bytes", padding.blockBytes},
                                         {"block_padding_bytes", padding.blockPadding}};
}

void print(const PlanReport &report, llvm::raw_ostream &out) {
  const PaddingCost &padding = report.padding;
  out << "   padding: " << percent(double(padding.movedPadding), double(padding.movedBytes))
      << " of the " << scaled(double(padding.movedBytes), "B") << " that a call copies in blocks, "
      << percent(double(padding.blockPadding), double(padding.blockBytes)) << " of the "
      << scaled(double(padding.blockBytes), "B") << " of its blocks in VMEM\n";
  if (!report.plan.kept.empty())
    out << "   kept in VMEM between calls: " << llvm::join(report.plan.kept, ", ") << '\n';
  Table plans({"   plan", "steps", "estimate", "", "blocks"}, 4);
  auto add = [&](const char *what, const PlanDecision &plan, const std::string &difference) {
    plans.add({what, grouped(plan.steps), grouped(std::llround(plan.cycles)), difference,
               axesText(plan)});
  };
  add("   chosen", report.plan, "");
  for (const PlanDecision &plan : report.alternatives)
    add("   lost", plan, more(plan.cycles, report.plan.cycles));
  plans.print(out);
  if (report.readers.empty())
    return;
  Table readers({"   not fused with", "one kernel", "two kernels", "", "why", "source"}, 4);
  for (const ReaderReport &reader : report.readers) {
    if (!reader.reason.empty()) {
      readers.add({"   " + reader.kernel, "", "", "", reader.reason, reader.source});
      continue;
    }
    // Pairs are not tried again after the last merge.
    const char *why = reader.oneKernel < reader.twoKernels
                          ? "fusion did not try one kernel, which takes fewer cycles"
                          : "one kernel takes more cycles";
    readers.add({"   " + reader.kernel, grouped(std::llround(reader.oneKernel)),
                 grouped(std::llround(reader.twoKernels)),
                 more(reader.oneKernel, reader.twoKernels), why, reader.source});
  }
  readers.print(out);
}

} // namespace systole
