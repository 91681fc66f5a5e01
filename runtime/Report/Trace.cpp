// A run as a trace for Perfetto and chrome://tracing.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Report/Trace.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dialects/Machine/Program/Program.h"
#include "dialects/Machine/Target/Target.h"
#include "dialects/Machine/Target/Topology.h"
#include "runtime/Emulator/RunStats.h"
#include "runtime/Report/Report.h"
#include "runtime/Report/TraceEvents.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace systole {
namespace {

// Threads of a core's process; copies have this and the following ones.
constexpr int kKernels = 1, kWaits = 2, kCopies = 3;

class TraceWriter {
public:
  TraceWriter(const Program &program, const Target &target, llvm::raw_ostream &out)
      : header(program.header), target(target), microsPerCycle(target.seconds(1) * 1e6), json(out) {
  }

  void write(const RunStats &stats) {
    const std::vector<TraceEvent> events = shownEvents(header, stats);
    json.object([&] {
      json.attribute("displayTimeUnit", "ns");
      json.attributeArray("traceEvents", [&] {
        for (const TraceEvent &event : events)
          writeEvent(event);
        for (const auto &[core, lines] : copies)
          nameCore(core, lines.count());
        if (!stats.linkSpans.empty())
          writeLinks(stats);
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
    writeSpan(titleOf(header, event), event.core, thread, event.begin, event.end, [&] {
      if (event.kind == TraceEvent::Kind::Copy)
        json.attribute("bytes", event.bytes);
      if (kernel)
        writeLocation(locationOf(header, kernel->location()));
    });
  }

  // `writeArgs` adds attributes to those of the span.
  void writeSpan(const std::string &name, int process, int thread, int64_t begin, int64_t end,
                 llvm::function_ref<void()> writeArgs) {
    json.object([&] {
      json.attribute("ph", "X");
      json.attribute("name", name);
      json.attribute("pid", process);
      json.attribute("tid", thread);
      json.attribute("ts", begin * microsPerCycle);
      json.attribute("dur", (end - begin) * microsPerCycle);
      json.attributeObject("args", [&] {
        json.attribute("cycle", begin);
        json.attribute("cycles", end - begin);
        writeArgs();
      });
    });
  }

  // Links are threads of the process behind those of the cores.
  void writeLinks(const RunStats &stats) {
    const int process = header.cores();
    std::set<int> links;
    for (const LinkSpan &span : stats.linkSpans) {
      links.insert(span.link);
      const TraceEvent sender{TraceEvent::Kind::Kernel, span.from, span.kernel, 0, 0, 0};
      writeSpan("core " + std::to_string(span.from) + " to " + std::to_string(span.to), process,
                1 + span.link, span.begin, span.end, [&] {
                  json.attribute("bytes", span.bytes);
                  json.attribute("kernel", titleOf(header, sender));
                });
    }
    writeName("process_name", process, 0, "links between chips");
    const Topology topology(target, stats.sliceCores);
    for (const int link : links)
      writeName("thread_name", process, 1 + link, topology.nameOf(link));
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
  const Target &target;
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
