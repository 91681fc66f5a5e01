// What the planner decided about a kernel: its plan, those that lost, the kernels that read its
// results, padding.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_PLANREPORT_H
#define SYSTOLE_RUNTIME_REPORT_PLANREPORT_H

#include <string>
#include <vector>

#include "compiler/Decisions/Decisions.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

// A kernel that reads a result of another one.
struct ReaderReport {
  std::string kernel;
  std::string source;   // as KernelReport's
  std::string reason;   // why one kernel is not possible; "" if its estimate decided
  double oneKernel = 0; // estimated cycles of a call, 0 with a reason
  double twoKernels = 0;

  bool operator==(const ReaderReport &) const = default;
};

struct PlanReport {
  PlanDecision plan;
  std::vector<PlanDecision> alternatives; // that lost, the fastest first
  std::vector<ReaderReport> readers;
  PaddingCost padding; // of a call
};

// Adds "plan", "alternatives", "readers" and "padding".
void addJson(const PlanReport &report, llvm::json::Object &kernel);

// Indented lines and tables.
void print(const PlanReport &report, llvm::raw_ostream &out);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_PLANREPORT_H
