// A run as a trace for Perfetto and chrome://tracing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Trace.h"

#include <algorithm>
#include <map>
#include <vector>

#include "runtime/Emulator/RunStats.h"
#include "runtime/Program/Program.h"
#include "runtime/Report/Report.h"
#include "runtime/Target/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// Threads of a core's process; copies have this and the following.
constexpr int kKernels = 1, kWaits = 2, kCopies = 3;

class TraceWriter {
public:
  TraceWriter(const Program &program, const Target &target, llvm::raw_ostream &out)
      : header(program.header), microsPerCycle(target.seconds(1) * 1e6), json(out) {}

  void write(const RunStats &stats) {
    std::vector<const TraceEvent *> events;
    for (const TraceEvent &event : stats.trace)
      events.push_back(&event);
    // Of two events that begin together the longer one encloses the other.
    std::stable_sort(events.begin(), events.end(), [](auto *a, auto *b) {
      return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
    });
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeArray("traceEvents", [&] {
        for (const TraceEvent *event : events)
          writeEvent(*event);
        for (const auto &[core, lanes] : busyUntil)
          nameCore(core, lanes.size());
      });
    });
  }

private:
  void writeEvent(const TraceEvent &event) {
    std::vector<int64_t> &lanes = busyUntil[event.core];
    int thread = event.kind == TraceEvent::Kind::Kernel ? kKernels : kWaits;
    if (event.kind == TraceEvent::Kind::Copy) {
      auto lane = std::find_if(lanes.begin(), lanes.end(),
                               [&](int64_t until) { return until <= event.begin; });
      if (lane == lanes.end())
        lane = lanes.insert(lanes.end(), 0);
      *lane = event.end;
      thread = kCopies + (lane - lanes.begin());
    }
    const bool known = event.kernel >= 0 && event.kernel < header.kernels_size();
    const std::string kernel =
        known ? header.kernels(event.kernel).name() : std::string(kSequencer);
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", text(event.kind == TraceEvent::Kind::Kernel ? kernel
                                  : event.kind == TraceEvent::Kind::Copy ? "copy for " + kernel
                                                                         : "wait in " + kernel));
      json.attribute("pid", event.core);
      json.attribute("tid", thread);
      json.attribute("ts", event.begin * microsPerCycle);
      json.attribute("dur", (event.end - event.begin) * microsPerCycle);
      json.attributeObject("args", [&] {
        json.attribute("cycle", event.begin);
        json.attribute("cycles", event.end - event.begin);
        if (event.kind == TraceEvent::Kind::Copy)
          json.attribute("bytes", event.bytes);
        if (known)
          writeLocation(locationOf(header, header.kernels(event.kernel).location()));
      });
    });
  }

  void writeLocation(const program::Location &from) {
    if (!from.name_stack().empty())
      json.attribute("name_stack", text(from.name_stack()));
    if (!from.source().empty())
      json.attribute("source", text(from.source()));
    if (!from.user().empty())
      json.attribute("user_source", text(from.user()));
  }

  void nameCore(int core, int copyLanes) {
    writeName("process_name", core, 0, "core " + std::to_string(core));
    writeName("thread_name", core, kKernels, "kernels");
    writeName("thread_name", core, kWaits, "waits");
    for (int lane = 0; lane < copyLanes; ++lane)
      writeName("thread_name", core, kCopies + lane, "copies " + std::to_string(lane));
  }

  void writeName(llvm::StringRef what, int core, int thread, const std::string &name) {
    json.object([&] {
      json.attribute("ph", "M");
      json.attribute("name", what);
      json.attribute("pid", core);
      json.attribute("tid", thread);
      json.attributeObject("args", [&] { json.attribute("name", name); });
    });
  }

  // Names in a header need not be UTF-8; JSON does.
  static std::string text(const std::string &bytes) {
    return llvm::json::isUTF8(bytes) ? bytes : llvm::json::fixUTF8(bytes);
  }

  const program::ProgramHeader &header;
  const double microsPerCycle;
  llvm::json::OStream json;
  // For each core, until which cycle each thread of copies is taken.
  std::map<int, std::vector<int64_t>> busyUntil;
};

} // namespace

std::string toTrace(const Program &program, const RunStats &stats, const Target &target) {
  std::string text;
  llvm::raw_string_ostream out(text);
  TraceWriter(program, target, out).write(stats);
  return text;
}

} // namespace systole
