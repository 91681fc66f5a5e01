// Why a program takes its cycles: what bounds each kernel, what each of its copies is for, and what
// the planner decided.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_EXPLAIN_H
#define SYSTOLE_RUNTIME_REPORT_EXPLAIN_H

#include <optional>
#include <string>
#include <vector>

#include "runtime/Report/Memory.h"
#include "runtime/Report/PlanReport.h"
#include "runtime/Report/Report.h"

namespace systole {

// The copies of a kernel between one buffer of HBM and the core.
struct CopyReport {
  std::string buffer; // "params['w']", "out0", "value", ...
  std::string source; // as KernelReport's, of the operation that makes the buffer
  bool reads = false; // from HBM
  int64_t copies = 0; // of all calls, as are the bytes
  int64_t bytes = 0;
  // The buffer's own bytes, and how many of them are padding; 0 if it is not known.
  int64_t bufferBytes = 0, bufferPaddingBytes = 0;
};

struct KernelExplanation {
  KernelReport kernel;
  std::vector<CopyReport> copies; // the largest first
  std::optional<PlanReport> plan; // of kernels that the compiler planned
};

struct Explanation {
  Report report;
  std::vector<KernelExplanation> kernels; // the costliest first
  MemoryReport memory;
};

// Of a run with EmulatorOptions::countCopies. `decisions` are those of the program's compilation,
// none if it was compiled before.
Explanation explain(const Program &program, const RunStats &stats, const Target &target,
                    const Decisions &decisions);

llvm::json::Object toJson(const Explanation &explanation);

// Of the `most` costliest kernels, 0 for all; ends in a line break.
std::string toText(const Explanation &explanation, size_t most);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_EXPLAIN_H
