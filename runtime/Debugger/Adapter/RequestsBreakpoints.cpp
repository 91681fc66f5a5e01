// Requests that set breakpoints: each replaces those of its kind.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Adapter/Adapter.h"
#include "runtime/Debugger/Operand.h"
#include "llvm/ADT/STLExtras.h"

namespace systole::debugger {

using llvm::json::Array;
using llvm::json::Object;

static std::string textOf(const Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

// Removes the breakpoints of an owner.
static void clear(Adapter &adapter, const std::string &owner) {
  const std::vector<int> numbers = std::exchange(adapter.owners[owner], {});
  llvm::erase_if(adapter.console->breakpoints, [&](const Breakpoint &breakpoint) {
    return llvm::is_contained(numbers, breakpoint.number);
  });
}

// Adds the condition and the hits to ignore that the client gives.
static absl::Status complete(const Adapter &adapter, const Object &from, Breakpoint &breakpoint) {
  if (const std::string text = textOf(from, "condition"); !text.empty()) {
    absl::StatusOr<Condition> condition = Condition::parse(adapter.session->emulator(), text);
    if (!condition.ok())
      return condition.status();
    breakpoint.condition = *std::move(condition);
  }
  if (const std::string text = textOf(from, "hitCondition"); !text.empty()) {
    if (!absl::SimpleAtoi(text, &breakpoint.ignored) || breakpoint.ignored < 1)
      return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no number of hits"));
    --breakpoint.ignored;
  }
  return absl::OkStatus();
}

// Adds a breakpoint, or says why there is none.
static Object add(Adapter &adapter, const std::string &owner, const Object &from,
                  absl::StatusOr<Breakpoint> breakpoint) {
  absl::Status status = breakpoint.status();
  if (status.ok())
    status = complete(adapter, from, *breakpoint);
  const int number = ++adapter.console->lastNumber;
  if (!status.ok())
    return Object{{"verified", false},
                  {"id", number},
                  {"message", llvm::json::fixUTF8(std::string(status.message()))}};
  breakpoint->number = number;
  Object answer{{"verified", true}, {"id", number}};
  if (!breakpoint->bundles.empty())
    answer["instructionReference"] = referenceTo(breakpoint->bundles.front());
  adapter.owners[owner].push_back(number);
  adapter.console->breakpoints.push_back(*std::move(breakpoint));
  return answer;
}

// At a place as users name it.
static absl::StatusOr<Breakpoint> atPlace(const Adapter &adapter, const std::string &text) {
  absl::StatusOr<std::vector<int64_t>> bundles = adapter.console->places.find(text);
  if (!bundles.ok())
    return bundles.status();
  Breakpoint breakpoint;
  breakpoint.text = text;
  breakpoint.bundles = *std::move(bundles);
  return breakpoint;
}

// Calls f(entry) for each entry of a request's array of breakpoints.
template <typename F>
static void setAll(Adapter &adapter, const Request &request, const std::string &owner, F f) {
  clear(adapter, owner);
  Array answers;
  if (const Array *entries = request.arguments.getArray("breakpoints"))
    for (const llvm::json::Value &entry : *entries) {
      const Object *object = entry.getAsObject();
      answers.push_back(object ? f(*object)
                               : Object{{"verified", false}, {"message", "it is no breakpoint"}});
    }
  adapter.channel.respond(request, Object{{"breakpoints", std::move(answers)}});
}

static void setSourceBreakpoints(Adapter &adapter, const Request &request) {
  const Object *source = request.arguments.getObject("source");
  const std::string path = source ? textOf(*source, "path") : "";
  setAll(adapter, request, "source " + path, [&](const Object &entry) {
    const int64_t line = entry.getInteger("line").value_or(0);
    // Paths in programs may be relative: the file's name decides if the whole path does not.
    absl::StatusOr<Breakpoint> breakpoint = atPlace(adapter, absl::StrCat(path, ":", line));
    if (!breakpoint.ok())
      breakpoint =
          atPlace(adapter, absl::StrCat(path.substr(path.find_last_of('/') + 1), ":", line));
    Object answer = add(adapter, "source " + path, entry, std::move(breakpoint));
    answer["line"] = line;
    return answer;
  });
}

static void setDataBreakpoints(Adapter &adapter, const Request &request) {
  setAll(adapter, request, request.command, [&](const Object &entry) {
    const std::string name = textOf(entry, "dataId"), access = textOf(entry, "accessType");
    absl::StatusOr<std::vector<WatchedWords>> words =
        watchedWords(*adapter.session, name, access == "read" || access == "readWrite");
    if (!words.ok())
      return add(adapter, request.command, entry, words.status());
    Breakpoint breakpoint;
    breakpoint.text = name;
    breakpoint.words = *std::move(words);
    if (access == "read")
      for (WatchedWords &range : breakpoint.words)
        range.writes = false;
    return add(adapter, request.command, entry, std::move(breakpoint));
  });
}

// Which tensor, or part of it, a variable is.
static void answerDataBreakpointInfo(Adapter &adapter, const Request &request) {
  std::string name = textOf(request.arguments, "name");
  const int64_t reference = request.arguments.getInteger("variablesReference").value_or(0);
  if (reference >= 1 && size_t(reference) <= adapter.handles.size()) {
    const VariableHandle &handle = adapter.handles[size_t(reference) - 1];
    // "[3]" of "out0[1]" is "out0[1, 3]".
    absl::string_view index = name;
    int64_t number;
    if (handle.kind == VariableHandle::Kind::Tensor && absl::ConsumePrefix(&index, "[") &&
        absl::ConsumeSuffix(&index, "]") && absl::SimpleAtoi(index, &number))
      if (absl::StatusOr<std::string> whole = nameOfElement(*adapter.console, handle.name, number);
          whole.ok())
        name = *std::move(whole);
  }
  Object answer{{"dataId", nullptr}, {"description", llvm::json::fixUTF8(name)}};
  if (watchedWords(*adapter.session, name, /*reads=*/false).ok()) {
    answer["dataId"] = name;
    answer["accessTypes"] = Array{"read", "write", "readWrite"};
    answer["canPersist"] = true;
  }
  adapter.channel.respond(request, std::move(answer));
}

bool handleBreakpoints(Adapter &adapter, const Request &request) {
  const std::string &command = request.command;
  if (command == "setBreakpoints") {
    setSourceBreakpoints(adapter, request);
  } else if (command == "setFunctionBreakpoints") {
    setAll(adapter, request, command, [&](const Object &entry) {
      return add(adapter, command, entry, atPlace(adapter, textOf(entry, "name")));
    });
  } else if (command == "setInstructionBreakpoints") {
    setAll(adapter, request, command, [&](const Object &entry) {
      const std::string text = textOf(entry, "instructionReference");
      const std::optional<int64_t> bundle = bundleOf(text);
      const int64_t offset = entry.getInteger("offset").value_or(0);
      if (!bundle)
        return add(adapter, command, entry,
                   absl::InvalidArgumentError(absl::StrCat("'", text, "' is no instruction")));
      return add(adapter, command, entry, atPlace(adapter, absl::StrCat("*", *bundle + offset)));
    });
  } else if (command == "setDataBreakpoints") {
    setDataBreakpoints(adapter, request);
  } else if (command == "dataBreakpointInfo") {
    answerDataBreakpointInfo(adapter, request);
  } else if (command == "setExceptionBreakpoints") {
    adapter.channel.respond(request); // traps always stop
  } else {
    return false;
  }
  return true;
}

} // namespace systole::debugger
