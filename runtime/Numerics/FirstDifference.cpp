// Where two runs of a program first differ.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/FirstDifference.h"

#include <cmath>
#include <thread>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/Numerics/TapQueue.h"

namespace systole::numerics {
namespace {

// Values of one run that the other has not reached yet.
constexpr size_t kQueueBytes = size_t(256) << 20;

struct Compiled {
  Program program;
  std::vector<TappedOperation> operations;
  std::unordered_map<int64_t, const TappedOperation *> byChannel;
};

absl::StatusOr<std::unique_ptr<Compiled>> compiled(const Side &side) {
  auto result = std::make_unique<Compiled>();
  TapOptions taps;
  taps.operations = &result->operations;
  absl::StatusOr<Program> program = side.compile(taps, std::nullopt);
  if (!program.ok())
    return program.status();
  result->program = *std::move(program);
  for (const TappedOperation &operation : result->operations)
    if (operation.value >= 0)
      result->byChannel[operation.value] = &operation;
  return result;
}

// The first element that makes the difference, or nothing.
std::optional<size_t> firstElement(const std::vector<double> &values,
                                   const std::vector<double> &others, double bound) {
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = values[i], y = others[i];
    const bool isSame =
        x == y || (std::isnan(x) && std::isnan(y)) || std::fabs(x - y) <= bound * std::fabs(y);
    if (!isSame)
      return i;
  }
  return std::nullopt;
}

bool differs(const ErrorSums &errors, double bound, const std::vector<double> &values,
             const std::vector<double> &others) {
  if (errors.norm() > bound)
    return true;
  for (size_t i = 0; i < values.size(); ++i)
    if ((!std::isfinite(values[i]) || !std::isfinite(others[i])) && values[i] != others[i] &&
        !(std::isnan(values[i]) && std::isnan(others[i])))
      return true;
  return false;
}

} // namespace

absl::StatusOr<DifferenceReport> findFirstDifference(const Side &one, const Side &other,
                                                     const RunInputs &inputs, double bound) {
  absl::StatusOr<std::unique_ptr<Compiled>> first = compiled(one), second = compiled(other);
  if (!first.ok())
    return first.status();
  if (!second.ok())
    return second.status();
  const int cores = (*first)->program.header.cores();
  if ((*second)->program.header.cores() != cores)
    return absl::InvalidArgumentError("the two programs are of different numbers of cores");
  TapQueue queue(cores, kQueueBytes);
  absl::Status otherStatus;
  std::atomic<bool> stop = false; // the other run
  std::thread thread([&] {
    otherStatus =
        runTapped((*second)->program, other.target, {inputs.arguments, inputs.host, &stop},
                  [&](const TapMessage &message) {
                    if ((*second)->byChannel.contains(message.channel))
                      queue.put(message);
                    return absl::OkStatus();
                  })
            .status();
    queue.finish(otherStatus);
  });
  DifferenceReport report;
  const absl::Status found = absl::AbortedError("found");
  absl::StatusOr<RunResult> run = runTapped(
      (*first)->program, one.target, inputs, [&](const TapMessage &message) -> absl::Status {
        const auto known = (*first)->byChannel.find(message.channel);
        if (known == (*first)->byChannel.end())
          return absl::OkStatus();
        const TappedOperation &operation = *known->second;
        absl::StatusOr<std::optional<TapQueue::Message>> next = queue.take(message.core);
        if (!next.ok())
          return next.status();
        const TappedOperation *peer = *next ? (*second)->byChannel.at((*next)->channel) : nullptr;
        report.first.emplace();
        report.first->operation = operation;
        report.first->execution = message.execution;
        report.first->core = message.core;
        if (!peer || peer->operation != operation.operation || peer->type != operation.type) {
          report.structure = peer ? absl::StrCat(peer->name, ", ", peer->type) : "its end";
          return found;
        }
        const std::vector<double> values = toDoubles(message.dtype, message.bytes),
                                  others = toDoubles((*next)->dtype, (*next)->bytes);
        ErrorSums errors;
        errors.add(*floatFacts(message.dtype), values, others);
        if (!differs(errors, bound, values, others)) {
          ++report.compared;
          report.first.reset();
          return absl::OkStatus();
        }
        report.first->errors = errors;
        const size_t element = firstElement(values, others, bound).value_or(0);
        report.first->value = values[element];
        report.first->other = others[element];
        auto rest = int64_t(message.dtype.starts_with("complex") ? element / 2 : element);
        report.first->element.resize(message.dims.size());
        for (size_t d = message.dims.size(); d-- > 0; rest /= message.dims[d])
          report.first->element[d] = rest % message.dims[d];
        return found;
      });
  // The other run may have values left.
  if (run.ok() && !report.first) {
    auto goesOn = [&] { return !inputs.cancel || !inputs.cancel->load(std::memory_order_relaxed); };
    if (std::optional<TapQueue::Message> left = queue.rest(goesOn)) {
      report.first.emplace();
      report.first->operation = *(*second)->byChannel.at(left->channel);
      report.structure = "its end";
      report.isOfOther = true;
    }
  }
  stop = true;
  queue.close();
  thread.join();
  if (report.first)
    return report;
  if (!run.ok())
    return run.status();
  if (!otherStatus.ok() && !absl::IsCancelled(otherStatus))
    return otherStatus;
  return report;
}

} // namespace systole::numerics
