// The server of the Debug Adapter Protocol: its loop, and the beginning and end of a session.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Debugger/Adapter/Adapter.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace systole::debugger {

using llvm::json::Array;
using llvm::json::Object;

static Object capabilities() {
  Object can{
      {"supportsConfigurationDoneRequest", true}, {"supportsFunctionBreakpoints", true},
      {"supportsConditionalBreakpoints", true},   {"supportsHitConditionalBreakpoints", true},
      {"supportsEvaluateForHovers", true},        {"supportsStepBack", true},
      {"supportsDataBreakpoints", true},          {"supportsInstructionBreakpoints", true},
      {"supportsDisassembleRequest", true},       {"supportsSteppingGranularity", true},
      {"supportsExceptionInfoRequest", true},     {"supportsTerminateRequest", true},
      {"supportsGotoTargetsRequest", false}};
  return can;
}

bool handleSession(Adapter &adapter, const Request &request) {
  if (request.command == "initialize") {
    adapter.channel.respond(request, capabilities());
  } else if (request.command == "launch") {
    absl::StatusOr<Launched> launched = adapter.launch(request.arguments);
    if (!launched.ok()) {
      adapter.channel.refuse(request, std::string(launched.status().message()));
      return true;
    }
    adapter.console.reset();
    adapter.host = std::move(launched->host);
    adapter.session = std::move(launched->session);
    adapter.values = std::move(launched->values);
    adapter.console.emplace(*adapter.session, adapter.session->emulator().program(), adapter.out,
                            adapter.values.get());
    adapter.owners.clear();
    adapter.stopsAtEntry = request.arguments.getBoolean("stopOnEntry").value_or(true);
    adapter.channel.respond(request);
    // Breakpoints may come.
    adapter.channel.event("initialized");
  } else if (request.command == "disconnect" || request.command == "terminate") {
    adapter.channel.respond(request);
    if (request.command == "terminate")
      adapter.channel.event("terminated");
    adapter.hasEnded = true;
  } else if (request.command == "threads") {
    Array threads;
    for (int core = 0; core < (adapter.session ? coresOf(*adapter.session) : 1); ++core)
      threads.push_back(Object{{"id", core + 1}, {"name", absl::StrCat("core ", core)}});
    adapter.channel.respond(request, Object{{"threads", std::move(threads)}});
  } else {
    return false;
  }
  return true;
}

void serve(Adapter &adapter) {
  while (!adapter.hasEnded) {
    std::optional<Request> request = adapter.channel.next();
    if (!request)
      return;
    if (handleSession(adapter, *request))
      continue;
    if (!adapter.session) {
      adapter.channel.refuse(*request, "no program has been launched");
      continue;
    }
    const bool isDone = handleRun(adapter, *request) || handleBreakpoints(adapter, *request) ||
                        handleViews(adapter, *request) || handleCode(adapter, *request);
    if (!isDone)
      adapter.channel.refuse(*request, absl::StrCat("'", request->command, "' is not supported"));
  }
}

std::optional<int64_t> bundleOf(llvm::StringRef reference) {
  int64_t bundle;
  if (!reference.consume_front("0x") || reference.getAsInteger(16, bundle))
    return std::nullopt;
  return bundle;
}

std::string referenceTo(int64_t bundle) { return absl::StrCat("0x", absl::Hex(bundle)); }

std::optional<SourcePlace> sourceOf(const std::string &line) {
  std::vector<std::string> parts = absl::StrSplit(line, ':');
  SourcePlace place;
  if (parts.size() < 3 || !absl::SimpleAtoi(parts.back(), &place.column))
    return std::nullopt;
  parts.pop_back();
  if (!absl::SimpleAtoi(parts.back(), &place.line))
    return std::nullopt;
  parts.pop_back();
  const std::filesystem::path path = absl::StrJoin(parts, ":");
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  place.source =
      Object{{"name", path.filename().string()}, {"path", error ? path.string() : whole.string()}};
  return place;
}

} // namespace systole::debugger
