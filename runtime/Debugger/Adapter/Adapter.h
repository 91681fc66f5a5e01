// The debugger for editors: a server of the Debug Adapter Protocol (DAP) over a session.
// Requests and fields: microsoft.github.io/debug-adapter-protocol.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_ADAPTER_H
#define SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_ADAPTER_H

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Debugger/Adapter/Channel.h"
#include "runtime/Debugger/Console.h"

namespace systole::debugger {

// Starts a session with the arguments of a `launch` request, which are those of a launch
// configuration.
struct Launched {
  std::shared_ptr<void> host; // that the session asks
  std::unique_ptr<Session> session;
  std::unique_ptr<Values> values; // null without a source
};
using Launch = std::function<absl::StatusOr<Launched>(const llvm::json::Object &arguments)>;

// Variables that a client can expand, by their `variablesReference`.
struct VariableHandle {
  enum class Kind : uint8_t { Tensors, Scalars, Vectors, Machine, Tensor };
  Kind kind = Kind::Machine;
  std::string name; // of a tensor, with the indices of its outer dimensions: "out0[3]"
};

// State of the server.
struct Adapter {
  Adapter(Channel &channel, Launch launch) : channel(channel), launch(std::move(launch)) {}

  Channel &channel;
  Launch launch;
  std::shared_ptr<void> host;
  std::unique_ptr<Session> session;
  std::unique_ptr<Values> values;
  // Commands of the debug console, and all breakpoints.
  std::string text; // that commands have printed
  llvm::raw_string_ostream out{text};
  std::optional<Console> console;
  // The numbers of the breakpoints that a request of this kind has set: by the path of a source, or
  // the name of the request.
  std::map<std::string, std::vector<int>> owners;
  std::vector<VariableHandle> handles; // by number - 1, of the present stop
  bool stopsAtEntry = false;
  bool hasEnded = false; // no more requests
};

// Answers requests until the client disconnects or the input ends.
void serve(Adapter &adapter);

// Each answers requests of some kinds, and whether it is one of them. (Requests*.cpp)
using Handler = bool(Adapter &adapter, const Request &request);
Handler handleSession, handleRun, handleBreakpoints, handleViews, handleCode;

// Tells the client where the run has stopped.
void reportStop(Adapter &adapter, const BreakpointStop &stop, const char *reason);

// The number behind "0x", of an instruction.
std::optional<int64_t> bundleOf(llvm::StringRef reference);
std::string referenceTo(int64_t bundle);

// "file.py:12:3" as a source with its line and column; nothing without one.
struct SourcePlace {
  llvm::json::Object source;
  int64_t line = 0, column = 0;
};
std::optional<SourcePlace> sourceOf(const std::string &line);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_ADAPTER_ADAPTER_H
