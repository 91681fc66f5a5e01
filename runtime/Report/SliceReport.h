// What a run on several cores of a slice costs beside the work of each: its collective operations
// and the links between chips.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_SLICEREPORT_H
#define SYSTOLE_RUNTIME_REPORT_SLICEREPORT_H

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {

struct KernelReport;
struct Program;
struct Report;
struct RunStats;
class Target;

// The kind of kernels that are collective operations. The time that they cost is theirs: while
// other kernels run, transfers cost nothing.
inline constexpr char kCollective[] = "collective";

struct CoreReport {
  int place = 0; // the core of the slice
  int chip = 0;
  int64_t cycles = 0; // until it is done
};

// A link in one direction.
struct LinkReport {
  std::string name; // "chip 0 +x"
  int64_t bytes = 0;
  int64_t cycles = 0; // busy
};

// The least time of the busiest link if links had a rate.
struct LinkBound {
  double gbPerSecond = 0;
  int64_t cycles = 0;
  double seconds = 0;
  std::string source; // of the rate
};

// Operations of one name and line that each core executes on whole arrays, which it gathers first.
struct WholeOperationReport {
  std::string name;   // "stablehlo.sort"
  std::string source; // outside of installed packages, if known: "file.py:12:3", or ""
  int64_t count = 0;  // in the program's source, whatever the trips of loops
};

struct SliceReport {
  std::vector<CoreReport> cores; // none if the program is for one core
  std::vector<LinkReport> links; // that carried something
  // At the rate with which the program was emulated, and at the others that sources give. None
  // without links.
  std::vector<LinkBound> linkBounds;
  int64_t sentBytes = 0; // from cores to cores, also of one chip
  std::vector<WholeOperationReport> wholeOperations;
};

SliceReport sliceReport(const Program &program, const RunStats &stats, const Target &target);

bool isCollective(const KernelReport &kernel);
// The cycles of all cores in collective operations.
int64_t collectiveCycles(const Report &report);

llvm::json::Object toJson(const SliceReport &slice, const Report &report);
// The lines among the totals, and the tables, which begin with an empty line.
void printSliceTotals(const Report &report, llvm::raw_ostream &out);
void printSlice(const Report &report, llvm::raw_ostream &out);

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_SLICEREPORT_H
