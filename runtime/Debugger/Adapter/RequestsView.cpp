// Requests that show the state: frames, variables, values.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/Debugger/Adapter/Adapter.h"
#include "runtime/Debugger/Operand.h"
#include "runtime/Device/Device.h"
#include "runtime/Device/PrintArray.h"

namespace systole::debugger {

using llvm::json::Array;
using llvm::json::Object;
using Kind = VariableHandle::Kind;

// Children of one variable that are sent at once.
static constexpr int64_t kMostChildren = 10'000;

// Elements of a vector that are shown beside its type.
static constexpr int64_t kMostShown = 8;

static int64_t handleOf(Adapter &adapter, Kind kind, const std::string &name = "") {
  adapter.handles.push_back({kind, name});
  return int64_t(adapter.handles.size());
}

static Object frame(int64_t id, const std::string &name, const std::string &line, int64_t bundle) {
  Object frame{{"id", id},
               {"name", llvm::json::fixUTF8(name)},
               {"line", 0},
               {"column", 0},
               {"instructionPointerReference", referenceTo(bundle)}};
  if (std::optional<SourcePlace> place = sourceOf(line)) {
    frame["source"] = std::move(place->source);
    frame["line"] = place->line;
    frame["column"] = place->column;
  }
  return frame;
}

// The present bundle, and the calls that are open, the innermost first.
static void answerStackTrace(Adapter &adapter, const Request &request) {
  // Later requests for variables are of that core.
  const int64_t thread = request.arguments.getInteger("threadId").value_or(0);
  if (thread >= 1 && thread <= coresOf(*adapter.session))
    adapter.session->chooseCore(int(thread - 1));
  const program::ProgramHeader &header = adapter.session->emulator().program().header;
  const ProgramPoint point = adapter.session->core().point();
  const int64_t bundle = point.bundle >= 0 ? point.bundle : point.last;
  Array frames;
  if (bundle >= 0) {
    const program::Location &location = adapter.console->places.locationAt(bundle);
    const std::string &layer = location.name_stack();
    const std::string kernel =
        point.kernel >= 0 ? header.kernels(point.kernel).name() : "sequencer";
    frames.push_back(frame(0, layer.empty() ? kernel : absl::StrCat(kernel, " (", layer, ")"),
                           shownLine(location), bundle));
    // The line of a package that the user's line has called.
    if (!location.source().empty() && location.source() != shownLine(location))
      frames.push_back(frame(1, "called from there", location.source(), bundle));
    for (size_t i = point.callers.size(); i-- > 0;)
      if (const int caller = point.callers[i]; caller >= 0) {
        const program::Kernel &called = header.kernels(caller);
        frames.push_back(frame(int64_t(frames.size()), called.name(),
                               shownLine(locationOf(header, called.location())),
                               called.bundles().begin()));
      }
  }
  const auto count = int64_t(frames.size());
  adapter.channel.respond(request,
                          Object{{"stackFrames", std::move(frames)}, {"totalFrames", count}});
}

static void answerScopes(Adapter &adapter, const Request &request) {
  auto scope = [&](const char *name, Kind kind, bool isExpensive) {
    return Object{{"name", name},
                  {"variablesReference", handleOf(adapter, kind)},
                  {"expensive", isExpensive}};
  };
  adapter.channel.respond(request,
                          Object{{"scopes", Array{scope("Tensors", Kind::Tensors, false),
                                                  scope("Machine", Kind::Machine, false),
                                                  scope("Scalars", Kind::Scalars, false),
                                                  scope("Vectors", Kind::Vectors, true)}}});
}

static Object variable(const std::string &name, const std::string &value,
                       const std::string &evaluateName = "") {
  Object object{{"name", llvm::json::fixUTF8(name)},
                {"value", llvm::json::fixUTF8(value)},
                {"variablesReference", 0}};
  if (!evaluateName.empty())
    object["evaluateName"] = llvm::json::fixUTF8(evaluateName);
  return object;
}

// A tensor or part of it: its value if it is short, else its type and a handle of its parts.
static Object tensorVariable(Adapter &adapter, const std::string &name,
                             const std::string &evaluateName, const HostArray &array) {
  if (array.dims.empty())
    return variable(name, formatArray(array), evaluateName);
  std::string text = typeString(array);
  if (array.dims.size() == 1 && array.dims.front() <= kMostShown)
    absl::StrAppend(&text, " ", formatArray(array));
  Object object = variable(name, text, evaluateName);
  object["type"] = typeString(array);
  object["variablesReference"] = handleOf(adapter, Kind::Tensor, evaluateName);
  object["indexedVariables"] = array.dims.front();
  return object;
}

static void addTensors(Adapter &adapter, Array &variables) {
  const program::ProgramHeader &header = adapter.session->emulator().program().header;
  auto addAll = [&](const auto &tensors, const char *prefix) {
    for (int i = 0; i < tensors.size(); ++i) {
      const std::string name = absl::StrCat(prefix, i), &own = tensors.Get(i).name();
      const std::string shown = own.empty() || own == name ? name : absl::StrCat(name, " ", own);
      absl::StatusOr<HostArray> array = valueOf(*adapter.console, name);
      variables.push_back(array.ok() ? tensorVariable(adapter, shown, name, *array)
                                     : variable(shown, std::string(array.status().message())));
    }
  };
  addAll(header.arguments(), "arg");
  addAll(header.results(), "out");
}

static void addParts(Adapter &adapter, const std::string &name, const Request &request,
                     Array &variables) {
  absl::StatusOr<HostArray> array = valueOf(*adapter.console, name);
  if (!array.ok() || array->dims.empty())
    return;
  const int64_t size = array->dims.front();
  const int64_t start =
      std::clamp<int64_t>(request.arguments.getInteger("start").value_or(0), 0, size);
  const int64_t asked = request.arguments.getInteger("count").value_or(0);
  const int64_t count = std::min({asked > 0 ? asked : kMostChildren, kMostChildren, size - start});
  for (int64_t i = start; i < start + count; ++i) {
    const std::string index = absl::StrCat("[", i, "]");
    absl::StatusOr<HostArray> part = sliced(*array, index);
    absl::StatusOr<std::string> whole = nameOfElement(*adapter.console, name, i);
    if (part.ok() && whole.ok())
      variables.push_back(tensorVariable(adapter, index, *whole, *part));
  }
}

static void addMachine(Adapter &adapter, Array &variables) {
  const CoreView core = adapter.session->core();
  const ProgramPoint point = core.point();
  variables.push_back(variable("cycle", absl::StrCat(point.cycle), "cycle"));
  variables.push_back(variable("bundle", absl::StrCat(point.bundle)));
  for (size_t i = 0; i < point.loopsLeft.size(); ++i)
    variables.push_back(
        variable(absl::StrCat("loop ", i), absl::StrCat(point.loopsLeft[i], " iterations left")));
  for (int flag = 0; flag < isa::kSyncFlags; ++flag)
    if (core.flag(flag) != 0)
      variables.push_back(variable(absl::StrCat("flag", flag), absl::StrCat(core.flag(flag))));
  for (const CopyView &copy : core.copies())
    variables.push_back(
        variable(absl::StrCat("copy, flag ", copy.flag),
                 absl::StrCat(program::Space_Name(copy.from), ":", copy.firstFrom, " to ",
                              program::Space_Name(copy.to), ":", copy.firstTo, ", ", copy.words,
                              " words, cycles ", copy.begin, " to ", copy.finish)));
}

static void answerVariables(Adapter &adapter, const Request &request) {
  const int64_t reference = request.arguments.getInteger("variablesReference").value_or(0);
  Array variables;
  if (reference < 1 || size_t(reference) > adapter.handles.size())
    return adapter.channel.refuse(request, "there is no such variable any more");
  const VariableHandle handle = adapter.handles[size_t(reference) - 1];
  const CoreView core = adapter.session->core();
  switch (handle.kind) {
  case Kind::Tensors:
    addTensors(adapter, variables);
    break;
  case Kind::Tensor:
    addParts(adapter, handle.name, request, variables);
    break;
  case Kind::Machine:
    addMachine(adapter, variables);
    break;
  case Kind::Scalars:
    for (int i = 0; i < isa::kScalarRegisters; ++i)
      variables.push_back(variable(
          absl::StrCat("s", i),
          absl::StrCat(int32_t(core.scalar(i)), " (", std::bit_cast<float>(core.scalar(i)), ")"),
          absl::StrCat("s", i)));
    break;
  case Kind::Vectors:
    for (int i = 0; i < isa::kVectorRegisters; ++i) {
      const absl::Span<const uint32_t> cells = core.vector(i);
      std::string text = "[";
      for (size_t cell = 0; cell < 8; ++cell)
        absl::StrAppend(&text, std::bit_cast<float>(cells[cell]), " ");
      variables.push_back(variable(absl::StrCat("v", i), text + "...]", absl::StrCat("v", i)));
    }
    break;
  }
  adapter.channel.respond(request, Object{{"variables", std::move(variables)}});
}

// A value for a watch or a hover, or a command of the debug console.
static void answerEvaluate(Adapter &adapter, const Request &request) {
  const std::string expression = request.arguments.getString("expression").value_or("").str();
  const bool isCommand = request.arguments.getString("context").value_or("") == "repl";
  if (!isCommand) {
    absl::StatusOr<HostArray> array = valueOf(*adapter.console, expression);
    if (array.ok()) {
      Object value = tensorVariable(adapter, expression, expression, *array);
      value["result"] = std::move(value["value"]);
      value.erase("value");
      return adapter.channel.respond(request, std::move(value));
    }
    // Neither a tensor nor an operation, but perhaps a register.
    if (parseValueName(expression))
      return adapter.channel.refuse(request, std::string(array.status().message()));
  }
  const int64_t before = adapter.session->cycle();
  adapter.text.clear();
  const absl::Status status =
      execute(*adapter.console, isCommand ? expression : absl::StrCat("print ", expression));
  if (!status.ok())
    return adapter.channel.refuse(request, std::string(status.message()));
  const std::string text(absl::StripAsciiWhitespace(adapter.text));
  adapter.channel.respond(request,
                          Object{{"result", llvm::json::fixUTF8(text)}, {"variablesReference", 0}});
  if (adapter.console->hasQuit) {
    adapter.channel.event("terminated");
    adapter.hasEnded = true;
    return;
  }
  if (adapter.session->cycle() == before)
    return;
  // The client stopped the thread, and did not ask it to go on.
  adapter.channel.event("continued", Object{{"threadId", adapter.session->chosenCore() + 1},
                                            {"allThreadsContinued", true}});
  reportStop(adapter, BreakpointStop{Stop{}}, "goto");
}

bool handleViews(Adapter &adapter, const Request &request) {
  const std::string &command = request.command;
  if (command == "stackTrace") {
    answerStackTrace(adapter, request);
  } else if (command == "scopes") {
    answerScopes(adapter, request);
  } else if (command == "variables") {
    answerVariables(adapter, request);
  } else if (command == "evaluate") {
    answerEvaluate(adapter, request);
  } else {
    return false;
  }
  return true;
}

} // namespace systole::debugger
