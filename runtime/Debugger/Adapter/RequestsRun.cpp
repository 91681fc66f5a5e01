// Requests that run the program forwards and backwards.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "absl/strings/str_cat.h"
#include "runtime/Debugger/Adapter/Adapter.h"

namespace systole::debugger {

using llvm::json::Array;
using llvm::json::Object;

void reportStop(Adapter &adapter, const BreakpointStop &stop, const char *reason) {
  adapter.handles.clear();
  Object body{{"threadId", adapter.session->chosenCore() + 1}, {"allThreadsStopped", true}};
  switch (stop.stop.kind) {
  case Stop::Kind::Trap:
    body["reason"] = "exception";
    body["text"] = llvm::json::fixUTF8(std::string(toStatus(*adapter.session->trap()).message()));
    break;
  case Stop::Kind::Cancel:
    body["reason"] = "pause";
    break;
  case Stop::Kind::End:
    // The client can go back from here.
    body["reason"] = "pause";
    body["description"] =
        absl::StrCat("the program has halted at cycle ", adapter.session->stats()->cycles);
    break;
  case Stop::Kind::Start:
    body["reason"] = "entry";
    break;
  case Stop::Kind::Point:
  case Stop::Kind::Cycle:
    body["reason"] = stop.numbers.empty()     ? reason
                     : stop.stop.hits.empty() ? "breakpoint"
                                              : "data breakpoint";
    break;
  }
  if (!stop.numbers.empty())
    body["hitBreakpointIds"] = Array(stop.numbers);
  adapter.channel.event("stopped", std::move(body));
}

static void reportStop(Adapter &adapter, const absl::StatusOr<BreakpointStop> &stop,
                       const char *reason) {
  if (stop.ok())
    return reportStop(adapter, *stop, reason);
  adapter.channel.event(
      "output", Object{{"category", "stderr"},
                       {"output", llvm::json::fixUTF8(
                                      absl::StrCat(std::string(stop.status().message()), "\n"))}});
  reportStop(adapter, BreakpointStop{Stop{}}, "pause");
}

static absl::StatusOr<BreakpointStop> plain(const absl::StatusOr<Stop> &stop) {
  if (!stop.ok())
    return stop.status();
  return BreakpointStop{*stop};
}

// A step to another line, or of a bundle, forwards or backwards.
static absl::StatusOr<BreakpointStop> step(Adapter &adapter, const Request &request,
                                           bool isForwards) {
  Session &session = *adapter.session;
  const ProgramPoint point = session.core().point();
  if (request.arguments.getString("granularity").value_or("") == "instruction")
    return plain(isForwards ? session.step(1) : session.stepBack(1));
  const int64_t bundle = point.bundle >= 0 ? point.bundle : point.last;
  const PausePoints others{adapter.console->places.otherLines(bundle), {}};
  return plain(isForwards ? session.run(others) : session.runBack(others));
}

bool handleRun(Adapter &adapter, const Request &request) {
  Session &session = *adapter.session;
  const std::string &command = request.command;
  if (command == "configurationDone") {
    adapter.channel.respond(request);
    adapter.console->hasStarted = true;
    if (adapter.stopsAtEntry)
      reportStop(adapter, BreakpointStop{Stop{Stop::Kind::Start}}, "entry");
    else
      reportStop(adapter, runOn(session, adapter.console->breakpoints, /*atPresent=*/true),
                 "breakpoint");
  } else if (command == "continue") {
    adapter.channel.respond(request, Object{{"allThreadsContinued", true}});
    if (session.stats()) {
      adapter.channel.event("exited", Object{{"exitCode", 0}});
      adapter.channel.event("terminated");
      return true;
    }
    reportStop(adapter, runOn(session, adapter.console->breakpoints), "breakpoint");
  } else if (command == "reverseContinue") {
    adapter.channel.respond(request);
    reportStop(adapter, runBack(session, adapter.console->breakpoints), "breakpoint");
  } else if (command == "next" || command == "stepIn") {
    adapter.channel.respond(request);
    reportStop(adapter, step(adapter, request, /*isForwards=*/true), "step");
  } else if (command == "stepBack") {
    adapter.channel.respond(request);
    reportStop(adapter, step(adapter, request, /*isForwards=*/false), "step");
  } else if (command == "stepOut") {
    adapter.channel.respond(request);
    const PausePoints kernels{adapter.console->places.kernelBegins(), {}};
    reportStop(adapter, plain(session.run(kernels)), "step");
  } else if (command == "pause") {
    adapter.channel.respond(request); // the run has ended for it
  } else {
    return false;
  }
  return true;
}

} // namespace systole::debugger
