// Values of operations for the debugger, from runs of the program with taps.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/systole/DebugValues.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/Numerics/TapRun.h"
#include "tools/systole/Interrupt.h"
#include "tools/systole/KernelCode.h"

namespace systole {

absl::StatusOr<Built> DebugValues::compile(std::vector<int64_t> numbers,
                                           std::vector<TappedOperation> &operations) const {
  BuildOptions tapped = options;
  TapOptions &taps = tapped.taps.emplace();
  taps.only = std::move(numbers);
  taps.operations = &operations;
  return build(tapped);
}

absl::StatusOr<TappedOperation> DebugValues::operationOf(const std::string &name) const {
  std::vector<TappedOperation> operations;
  if (absl::StatusOr<Built> none = compile({}, operations); !none.ok())
    return none.status();
  const auto operation = std::ranges::find(operations, name, &TappedOperation::name);
  if (operation == operations.end())
    return absl::InvalidArgumentError(
        absl::StrCat("there is no operation '", name, "'; `info values` lists them"));
  return *operation;
}

absl::StatusOr<debugger::Values::Place> DebugValues::placeOf(const std::string &name) {
  absl::StatusOr<TappedOperation> operation = operationOf(name);
  if (!operation.ok())
    return operation.status();
  return Place{operation->source, operation->nameStack};
}

absl::StatusOr<HostArray> DebugValues::read(const std::string &name, int64_t execution) {
  if (auto it = known.find({name, execution}); it != known.end())
    return it->second;
  absl::StatusOr<TappedOperation> operation = operationOf(name);
  if (!operation.ok())
    return operation.status();
  std::vector<TappedOperation> operations;
  absl::StatusOr<Built> built = compile({operation->number}, operations);
  if (!built.ok())
    return built.status();
  const int64_t channel = operations[size_t(operation->number)].value;
  int64_t executions = 0;
  const absl::StatusOr<RunResult> run = numerics::runTapped(
      built->program, built->target, {arguments, hostOf(transfers), &CancelOnInterrupt::flag()},
      [&](const numerics::TapMessage &message) -> absl::Status {
        if (message.channel != channel || message.core != 0)
          return absl::OkStatus();
        executions = message.execution + 1;
        if (message.execution < execution)
          return absl::OkStatus();
        known[{name, execution}] = {
            message.dtype, message.dims, {message.bytes.begin(), message.bytes.end()}};
        return absl::AbortedError("found");
      });
  if (auto it = known.find({name, execution}); it != known.end())
    return it->second;
  if (!run.ok())
    return run.status();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is executed ", executions, " times: from 0 on"));
}

// A line of the list of operations.
static std::string describe(const TappedOperation &operation) {
  return absl::StrCat(operation.name, " ", operation.type, operation.source.empty() ? "" : ", at ",
                      operation.source, operation.nameStack.empty() ? "" : ", ",
                      operation.nameStack, "\n");
}

absl::StatusOr<std::string> DebugValues::ir(const std::string &level, const std::string &kernel,
                                            const std::string &source) {
  if (level == "kernel" || level == "core")
    return kernelCode(options, level, kernel);
  if (level != "stablehlo")
    return absl::InvalidArgumentError(
        absl::StrCat("'", level, "' is no level; there are stablehlo, kernel and core"));
  std::vector<TappedOperation> operations;
  if (absl::StatusOr<Built> none = compile({}, operations); !none.ok())
    return none.status();
  std::string lines;
  for (const TappedOperation &operation : operations)
    if (!source.empty() && operation.source == source)
      lines += describe(operation);
  if (lines.empty())
    return absl::InvalidArgumentError("no operation has the line of this place");
  return lines;
}

absl::StatusOr<std::string> DebugValues::list(absl::string_view text) {
  std::vector<TappedOperation> operations;
  if (absl::StatusOr<Built> none = compile({}, operations); !none.ok())
    return none.status();
  std::string lines;
  for (const TappedOperation &operation : operations)
    if (!operation.type.empty() && absl::StrContains(operation.name, text))
      lines += describe(operation);
  return lines;
}

} // namespace systole
