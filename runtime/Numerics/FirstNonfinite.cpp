// Where the first number that is not finite arises in a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/FirstNonfinite.h"

#include <cmath>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Device/Floats.h"
#include "runtime/Numerics/Origins.h"

namespace systole::numerics {
namespace {

// Elements that are listed.
constexpr size_t kMostElements = 5;

bool isWanted(double x, Nonfinite kind) {
  return kind == Nonfinite::NaN ? std::isnan(x) : !std::isfinite(x);
}

int64_t countOf(const HostArray &array, Nonfinite kind) {
  int64_t count = 0;
  for (double x : toDoubles(array.dtype, array.bytes))
    count += isWanted(x, kind);
  return count;
}

// Whether the operation chooses among the numbers of its operands: infinities, such as those of
// masks and initial values, are the program's own.
bool chooses(const TappedOperation &operation) {
  return operation.operation == "stablehlo.select" || operation.operation == "stablehlo.maximum" ||
         operation.operation == "stablehlo.minimum" || operation.operation == "stablehlo.clamp";
}

HostArray arrayOf(const TapMessage &message) {
  return {message.dtype, message.dims, {message.bytes.begin(), message.bytes.end()}};
}

std::vector<int64_t> indexOf(int64_t element, const std::vector<int64_t> &dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0; element /= dims[d])
    index[d] = element % dims[d];
  return index;
}

// The reason by which a run ends once it has gone far enough.
absl::Status found() { return absl::AbortedError("found"); }

// Fills in the elements of the result.
void inspect(FirstNonfinite &first, Nonfinite kind) {
  const std::vector<double> numbers = toDoubles(first.result.dtype, first.result.bytes);
  const size_t parts = first.result.dtype.starts_with("complex") ? 2 : 1;
  for (size_t i = 0; i < numbers.size(); ++i) {
    first.nans += std::isnan(numbers[i]);
    first.infinities += std::isinf(numbers[i]);
    if (isWanted(numbers[i], kind) && first.elements.size() < kMostElements)
      first.elements.push_back(indexOf(int64_t(i / parts), first.result.dims));
  }
}

std::string nameOf(int64_t number, const std::vector<TappedOperation> &operations,
                   const program::ProgramHeader &header) {
  if (number >= 0)
    return operations[size_t(number)].name;
  const auto argument = int(-1 - number);
  return argument < header.arguments_size() ? argumentName(header, argument)
                                            : absl::StrCat("arg", argument);
}

// Runs once more with taps of the result and the operands.
absl::Status readValues(const Compile &compile, const Target &target, const RunInputs &inputs,
                        int result, FirstNonfinite &first) {
  std::vector<TappedOperation> operations;
  TapOptions taps;
  taps.only = {first.operation.number};
  taps.operandsOf = first.operation.number;
  taps.allResults = true;
  taps.operations = &operations;
  absl::StatusOr<Program> program = compile(taps, std::nullopt);
  if (!program.ok())
    return program.status();
  const TappedOperation &operation = operations[size_t(first.operation.number)];
  const int64_t channel = result == 0 ? operation.value : operation.otherValues[size_t(result - 1)];
  std::vector<HostArray> arrays(operation.operandValues.size());
  absl::StatusOr<RunResult> run =
      runTapped(*program, target, inputs, [&](const TapMessage &message) -> absl::Status {
        if (message.core != first.core)
          return absl::OkStatus();
        for (size_t i = 0; i < arrays.size(); ++i)
          if (message.channel == operation.operandValues[i])
            arrays[i] = arrayOf(message);
        if (message.channel != channel || message.execution < first.execution)
          return absl::OkStatus();
        first.result = arrayOf(message);
        return found();
      });
  if (!run.ok() && !absl::IsAborted(run.status()))
    return run.status();
  for (size_t i = 0; i < arrays.size(); ++i)
    first.operands.push_back(
        {nameOf(operation.operands[i], operations, program->header), std::move(arrays[i])});
  return absl::OkStatus();
}

// Where results of operations have such numbers, as their values come.
class Watcher {
public:
  Watcher(const std::vector<TappedOperation> &operations, Nonfinite kind)
      : operations(operations), kind(kind) {
    for (size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].value >= 0)
        byChannel[operations[i].value] = {i, 0};
      for (size_t k = 0; k < operations[i].otherValues.size(); ++k)
        byChannel[operations[i].otherValues[k]] = {i, int(k) + 1};
    }
  }

  absl::Status take(const TapMessage &message) {
    const auto known = byChannel.find(message.channel);
    if (known == byChannel.end())
      return absl::OkStatus();
    ++messages;
    const auto &[number, result] = known->second;
    if (!sightings.contains(int64_t(number))) {
      const TappedOperation &operation = operations[number];
      bool isSeen = false, hasNan = false;
      for (const double x : toDoubles(message.dtype, message.bytes)) {
        isSeen |= isWanted(x, kind);
        hasNan |= std::isnan(x);
      }
      const bool isCandidate = !operation.isMovement && (chooses(operation) ? hasNan : isSeen);
      if (isSeen)
        sightings[int64_t(number)] = {messages, message.execution, message.core, result,
                                      isCandidate};
      if (isCandidate && firstAt == 0)
        firstAt = messages;
    }
    // Behind a NaN a loop may never end.
    return firstAt > 0 && messages > kMostBehind + kTimesBehind * firstAt ? found()
                                                                          : absl::OkStatus();
  }

  const Sightings &all() const { return sightings; }

private:
  // Values behind the first such number, and beside those before it.
  static constexpr int64_t kMostBehind = 50'000, kTimesBehind = 10;

  const std::vector<TappedOperation> &operations;
  const Nonfinite kind;
  std::unordered_map<int64_t, std::pair<size_t, int>> byChannel; // operation and result
  Sightings sightings;
  int64_t messages = 0, firstAt = 0;
};

} // namespace

absl::StatusOr<FiniteReport> findFirstNonfinite(const Compile &compile, const Target &target,
                                                const RunInputs &inputs, Nonfinite kind) {
  std::vector<TappedOperation> operations;
  TapOptions taps;
  taps.allResults = true;
  taps.operations = &operations;
  absl::StatusOr<Program> program = compile(taps, std::nullopt);
  if (!program.ok())
    return program.status();
  FiniteReport report;
  for (size_t i = 0; i < inputs.arguments.size(); ++i)
    if (const int64_t count = countOf(inputs.arguments[i], kind); count > 0)
      report.arguments.emplace_back(nameOf(-1 - int64_t(i), operations, program->header), count);
  Watcher watcher(operations, kind);
  absl::StatusOr<RunResult> run = runTapped(
      *program, target, inputs, [&](const TapMessage &message) { return watcher.take(message); });
  const std::optional<Origin> origin = findOrigin(operations, watcher.all());
  // An error behind it, as of a callback that cannot stand it, matters less.
  if (!run.ok() && !absl::IsAborted(run.status()) && !origin)
    return run.status();
  if (absl::IsCancelled(run.status()))
    return run.status();
  if (run.ok())
    for (size_t i = 0; i < run->results.size(); ++i)
      if (const int64_t count = countOf(run->results[i], kind); count > 0)
        report.results.emplace_back(absl::StrCat("out", i), count);
  if (!origin)
    return report;
  report.isDropped = run.ok() && report.results.empty();
  report.isCut = !run.ok() && !origin->reachesResult;
  const Sighting &sighting = watcher.all().at(origin->operation);
  FirstNonfinite first;
  first.operation = operations[size_t(origin->operation)];
  first.execution = sighting.execution;
  first.core = sighting.core;
  if (absl::Status status = readValues(compile, target, inputs, sighting.result, first);
      !status.ok())
    return status;
  inspect(first, kind);
  report.first = std::move(first);
  return report;
}

} // namespace systole::numerics
