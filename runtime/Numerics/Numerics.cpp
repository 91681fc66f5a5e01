// Where a program loses digits: its values against those of the same program in wider types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/Numerics.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Numerics/TapQueue.h"

namespace systole::numerics {
namespace {

// Executions of an operation whose errors are kept apart.
constexpr size_t kMostSteps = 4096;

// Cycles of the wide run, at most: these, and so many times those of the run with taps, whose
// copies take most of them. Products of f64 take 500 times the cycles of bf16.
constexpr int64_t kMostWideCycles = 10'000'000;
int64_t mostTimes(const std::string &wide) { return wide == "f64" ? 1000 : 30; }

// Compares the values of a run as they come with those of another.
class Comparison {
public:
  Comparison(std::vector<TappedOperation> operations, int cores, TapQueue &reference)
      : reference(reference), latest(size_t(cores)) {
    found.resize(operations.size());
    for (size_t i = 0; i < operations.size(); ++i) {
      for (int64_t channel : {operations[i].value, operations[i].own, operations[i].magnitude})
        if (channel >= 0)
          byChannel[channel] = i;
      found[i].operation = std::move(operations[i]);
    }
  }

  absl::Status take(const TapMessage &message) {
    const auto known = byChannel.find(message.channel);
    if (known == byChannel.end())
      return absl::OkStatus(); // a transfer of the program
    OperationNumerics &numerics = found[known->second];
    if (message.channel == numerics.operation.value)
      return takeValue(numerics, message);
    Latest &value = latest[size_t(message.core)];
    const std::vector<double> numbers = toDoubles(message.dtype, message.bytes);
    if (message.channel == numerics.operation.magnitude) {
      numerics.cancellation.add(value.numbers, numbers);
      return absl::OkStatus();
    }
    numerics.hasOwn = true;
    numerics.own.add(value.facts, value.numbers, numbers);
    return absl::OkStatus();
  }

  // Messages of the wide run behind the end of this one.
  void takeRest(const TapQueue::Message &message) {
    if (auto known = byChannel.find(message.channel); known != byChannel.end())
      diverge(found[known->second].operation);
  }

  std::vector<OperationNumerics> operations() { return std::move(found); }
  const std::string &divergence() const { return diverged; }

private:
  // The value of the operation whose other messages follow.
  struct Latest {
    FloatFacts facts;
    std::vector<double> numbers;
  };

  absl::Status takeValue(OperationNumerics &numerics, const TapMessage &message) {
    const std::optional<FloatFacts> facts = floatFacts(message.dtype);
    if (!facts)
      return absl::OkStatus();
    Latest &value = latest[size_t(message.core)];
    value.facts = *facts;
    value.numbers = toDoubles(message.dtype, message.bytes);
    numerics.dtype = message.dtype;
    ++numerics.executions;
    for (double x : value.numbers) {
      numerics.nans += std::isnan(x);
      numerics.infinities += std::isinf(x);
    }
    if (!diverged.empty())
      return absl::OkStatus();
    absl::StatusOr<std::optional<TapQueue::Message>> wide = reference.take(message.core);
    if (!wide.ok())
      return wide.status();
    if (!*wide || (*wide)->channel != message.channel) {
      diverge(numerics.operation);
      return absl::OkStatus();
    }
    const std::vector<double> numbers = toDoubles((*wide)->dtype, (*wide)->bytes);
    ErrorSums errors;
    errors.add(*facts, value.numbers, numbers);
    numerics.exponents.add(numbers);
    numerics.total.add(errors);
    if (numerics.steps.size() < kMostSteps)
      numerics.steps.push_back(errors.norm());
    return absl::OkStatus();
  }

  void diverge(const TappedOperation &operation) {
    diverged = absl::StrCat("at ", operation.name,
                            operation.source.empty() ? "" : " (" + operation.source + ")",
                            " the two runs take different branches or numbers of iterations");
    reference.close();
  }

  TapQueue &reference;
  std::vector<OperationNumerics> found;
  std::unordered_map<int64_t, size_t> byChannel;
  std::vector<Latest> latest; // by core
  std::string diverged;
};

bool areEqual(const std::vector<HostArray> &one, const std::vector<HostArray> &other) {
  return std::ranges::equal(
      one, other, [](const HostArray &a, const HostArray &b) { return a.bytes == b.bytes; });
}

} // namespace

std::vector<ResultNumerics> errorsOf(const program::ProgramHeader &header,
                                     const std::vector<HostArray> &results,
                                     const std::vector<HostArray> &references) {
  std::vector<ResultNumerics> found;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::optional<FloatFacts> facts = floatFacts(results[i].dtype);
    if (!facts)
      continue;
    const std::string &name = header.results(int(i)).name();
    ResultNumerics errors{name.empty() ? absl::StrCat("out", i) : name, {}};
    errors.errors.add(*facts, toDoubles(results[i].dtype, results[i].bytes),
                      toDoubles(references[i].dtype, references[i].bytes));
    found.push_back(std::move(errors));
  }
  return found;
}

double normOf(const std::vector<ResultNumerics> &results) {
  double sum = 0;
  for (const ResultNumerics &result : results)
    sum += std::pow(std::min(result.errors.norm(), 1.0), 2);
  return results.empty() ? 0 : std::sqrt(sum / double(results.size()));
}

double Numerics::error() const { return normOf(results); }

std::vector<const OperationNumerics *> Numerics::ranked() const {
  std::vector<const OperationNumerics *> found;
  for (const OperationNumerics &each : operations)
    if (each.hasOwn && each.own.norm() > 0)
      found.push_back(&each);
  std::ranges::stable_sort(
      found, [](const auto *a, const auto *b) { return a->own.norm() > b->own.norm(); });
  return found;
}

absl::StatusOr<Numerics> analyze(const Compile &compile, const Target &target,
                                 const RunInputs &inputs, const NumericsOptions &options) {
  std::vector<TappedOperation> operations;
  TapOptions taps;
  taps.own = true;
  taps.ownType = options.wide;
  taps.operations = &operations;
  TapOptions wideTaps;
  wideTaps.wide = options.wide;
  absl::StatusOr<Program> plain = compile(std::nullopt, std::nullopt);
  if (!plain.ok())
    return plain.status();
  absl::StatusOr<Program> tapped = compile(taps, std::nullopt);
  if (!tapped.ok())
    return tapped.status();
  absl::StatusOr<Program> wide = compile(wideTaps, std::nullopt);
  if (!wide.ok())
    return wide.status();
  const int cores = tapped->header.cores();

  auto discard = [](const TapMessage &) { return absl::OkStatus(); };
  absl::StatusOr<RunResult> plainRun = runTapped(*plain, target, inputs, discard);
  if (!plainRun.ok())
    return plainRun.status();

  TapQueue queue(cores, options.queueBytes);
  Comparison comparison(operations, cores, queue);
  std::unordered_map<int64_t, bool> isValue;
  for (const TappedOperation &operation : operations)
    if (operation.value >= 0)
      isValue[operation.value] = true;
  absl::StatusOr<RunResult> wideRun = absl::UnknownError("not run");
  std::atomic<bool> stop = false; // the other run
  std::atomic<int64_t> wideCycles = 0;
  std::thread other([&] {
    wideRun = runTapped(
        *wide, target, {inputs.arguments, inputs.host, &stop},
        [&](const TapMessage &message) {
          if (isValue.contains(message.channel))
            queue.put(message);
          return absl::OkStatus();
        },
        &wideCycles);
    // With recorded answers it may ask the host more often than these.
    queue.finish(absl::IsOutOfRange(wideRun.status()) ? absl::OkStatus() : wideRun.status());
  });
  absl::StatusOr<RunResult> run = runTapped(
      *tapped, target, inputs, [&](const TapMessage &message) { return comparison.take(message); });
  // The other run may have values left, or never end.
  auto goesOn = [&] {
    return run.ok() && wideCycles.load(std::memory_order_relaxed) <=
                           kMostWideCycles + mostTimes(options.wide) * run->stats.cycles;
  };
  while (std::optional<TapQueue::Message> left = queue.rest(goesOn))
    comparison.takeRest(*left); // which closes the queue
  stop = true;
  other.join();
  if (!run.ok())
    return run.status();
  const bool hasNoAnswer = absl::IsOutOfRange(wideRun.status());
  if (!wideRun.ok() && !absl::IsCancelled(wideRun.status()) && !hasNoAnswer)
    return wideRun.status();
  std::string divergence = comparison.divergence();
  if (absl::IsCancelled(wideRun.status()) && divergence.empty())
    divergence = "the run in wide types does not end";
  if (hasNoAnswer && divergence.empty())
    divergence = "the run in wide types asks the host more often";

  Numerics numerics;
  numerics.wide = options.wide;
  numerics.operations = comparison.operations();
  numerics.divergence = std::move(divergence);
  numerics.cycles = plainRun->stats.cycles;
  numerics.areResultsEqual = areEqual(plainRun->results, run->results);
  if (wideRun.ok()) {
    numerics.results = errorsOf(plain->header, plainRun->results, wideRun->results);
    numerics.wideResults = std::move(wideRun->results);
  }
  return numerics;
}

} // namespace systole::numerics
