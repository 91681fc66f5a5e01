// The events of a run that all trace formats show.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/TraceEvents.h"

#include <algorithm>
#include <map>

#include "runtime/Report/Report.h"
#include "llvm/Support/JSON.h"

namespace systole {

std::vector<TraceEvent> shownEvents(const program::ProgramHeader &header, const RunStats &stats) {
  std::vector<TraceEvent> ordered = stats.trace;
  for (TraceEvent &event : ordered)
    if (const program::Kernel *kernel = kernelOf(header, event); kernel && kernel->part_of() > 0)
      event.kernel = kernel->part_of() - 1;
  std::stable_sort(ordered.begin(), ordered.end(), [](const TraceEvent &a, const TraceEvent &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<TraceEvent> shown;
  std::map<int, size_t> last; // kernel event of each core
  for (const TraceEvent &event : ordered) {
    if (event.kind == TraceEvent::Kind::Kernel) {
      auto [place, first] = last.try_emplace(event.core, shown.size());
      TraceEvent *before = first ? nullptr : &shown[place->second];
      if (before && before->kernel == event.kernel && before->end == event.begin) {
        before->end = event.end;
        continue;
      }
      place->second = shown.size();
    }
    shown.push_back(event);
  }
  return shown;
}

const program::Kernel *kernelOf(const program::ProgramHeader &header, const TraceEvent &event) {
  const bool known = event.kernel >= 0 && event.kernel < header.kernels_size();
  return known ? &header.kernels(event.kernel) : nullptr;
}

std::string titleOf(const program::ProgramHeader &header, const TraceEvent &event) {
  const program::Kernel *kernel = kernelOf(header, event);
  std::string name = kernel ? asUtf8(kernel->name()) : std::string(kSequencer);
  switch (event.kind) {
  case TraceEvent::Kind::Kernel:
    return name;
  case TraceEvent::Kind::Copy:
    return "copy for " + name;
  case TraceEvent::Kind::Wait:
    return "wait in " + name;
  }
  return name;
}

std::string asUtf8(const std::string &bytes) {
  return llvm::json::isUTF8(bytes) ? bytes : llvm::json::fixUTF8(bytes);
}

int CopyLines::lineOf(const TraceEvent &copy) {
  auto line = std::find_if(busyUntil.begin(), busyUntil.end(),
                           [&](int64_t until) { return until <= copy.begin; });
  if (line == busyUntil.end())
    line = busyUntil.insert(line, 0);
  *line = copy.end;
  return int(line - busyUntil.begin());
}

} // namespace systole
