// A run as a trace for Perfetto and chrome://tracing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Trace.h"

#include <map>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Report.h"
#include "runtime/Report/TraceEvents.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// Threads of a core's process; copies have this and the following ones.
constexpr int kKernels = 1, kWaits = 2, kCopies = 3;

class TraceWriter {
public:
  TraceWriter(const Program &program, const Target &target, llvm::raw_ostream &out)
      : header(program.header), microsPerCycle(target.seconds(1) * 1e6), json(out) {}

  void write(const RunStats &stats) {
    const std::vector<TraceEvent> events = shownEvents(header, stats);
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeArray("traceEvents", [&] {
        for (const TraceEvent &event : events)
          writeEvent(event);
        for (const auto &[core, lines] : copies)
          nameCore(core, lines.count());
      });
    });
  }

private:
  void writeEvent(const TraceEvent &event) {
    CopyLines &lines = copies[event.core];
    int thread = event.kind == TraceEvent::Kind::Kernel ? kKernels : kWaits;
    if (event.kind == TraceEvent::Kind::Copy)
      thread = kCopies + lines.lineOf(event);
    const program::Kernel *kernel = kernelOf(header, event);
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", titleOf(header, event));
      json.attribute("pid", event.core);
      json.attribute("tid", thread);
      json.attribute("ts", event.begin * microsPerCycle);
      json.attribute("dur", (event.end - event.begin) * microsPerCycle);
      json.attributeObject("args", [&] {
        json.attribute("cycle", event.begin);
        json.attribute("cycles", event.end - event.begin);
        if (event.kind == TraceEvent::Kind::Copy)
          json.attribute("bytes", event.bytes);
        if (kernel)
          writeLocation(locationOf(header, kernel->location()));
      });
    });
  }

  void writeLocation(const program::Location &from) {
    if (!from.name_stack().empty())
      json.attribute("name_stack", asUtf8(from.name_stack()));
    if (!from.source().empty())
      json.attribute("source", asUtf8(from.source()));
    if (!from.user().empty())
      json.attribute("user_source", asUtf8(from.user()));
  }

  void nameCore(int core, int copyLines) {
    writeName("process_name", core, 0, "core " + std::to_string(core));
    writeName("thread_name", core, kKernels, "kernels");
    writeName("thread_name", core, kWaits, "waits");
    for (int line = 0; line < copyLines; ++line)
      writeName("thread_name", core, kCopies + line, "copies " + std::to_string(line));
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

  const program::ProgramHeader &header;
  const double microsPerCycle;
  llvm::json::OStream json;
  std::map<int, CopyLines> copies; // of each core
};

} // namespace

std::string toTrace(const Program &program, const RunStats &stats, const Target &target) {
  std::string text;
  llvm::raw_string_ostream out(text);
  TraceWriter(program, target, out).write(stats);
  return text;
}

} // namespace systole
