// The events of a run that every form of a trace shows: their order, their titles, and the
// lines of copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_REPORT_TRACEEVENTS_H
#define SYSTOLE_RUNTIME_REPORT_TRACEEVENTS_H

#include <string>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "runtime/Emulator/RunStats.h"

namespace systole {

// The events of a run by begin; of two that begin together the longer one, which encloses the
// other, comes first. Consecutive ranges of a kernel are one event, of the entry that they are
// part of.
std::vector<TraceEvent> shownEvents(const program::ProgramHeader &header, const RunStats &stats);

// The kernel of an event; null if it belongs to none.
const program::Kernel *kernelOf(const program::ProgramHeader &header, const TraceEvent &event);

// "dot_3", "copy for dot_3", "wait in dot_3". Valid UTF-8.
std::string titleOf(const program::ProgramHeader &header, const TraceEvent &event);

// Names in a header need not be UTF-8, which JSON and protobuf require.
std::string asUtf8(const std::string &bytes);

// Copies that overlap are on different lines.
class CopyLines {
public:
  // The line of the next copy, given in order.
  int lineOf(const TraceEvent &copy);
  int count() const { return int(busyUntil.size()); }

private:
  std::vector<int64_t> busyUntil;
};

} // namespace systole

#endif // SYSTOLE_RUNTIME_REPORT_TRACEEVENTS_H
