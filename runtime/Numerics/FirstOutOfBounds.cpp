// Where the first index out of bounds is in a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Numerics/FirstOutOfBounds.h"

#include <unordered_map>
#include <utility>

#include "runtime/Device/Floats.h"

namespace systole::numerics {

// Fills in the first index that is out of bounds, and how many there are; whether there is one.
static bool inspect(const TapMessage &message, const IndexBounds &bounds, FirstOutOfBounds &found) {
  const std::vector<double> indices =
      numbersOf({message.dtype, message.dims, {message.bytes.begin(), message.bytes.end()}});
  // The entry of an index is its place along the dimension of entries.
  int64_t stride = 1;
  for (size_t d = message.dims.size(); bounds.vectorDim >= 0 && d-- > size_t(bounds.vectorDim) + 1;)
    stride *= message.dims[d];
  found.all = int64_t(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const size_t entry = bounds.vectorDim < 0
                             ? 0
                             : size_t(int64_t(i) / stride % message.dims[size_t(bounds.vectorDim)]);
    const int64_t least = bounds.least[entry], most = bounds.most[entry];
    if (indices[i] >= double(least) && indices[i] <= double(most))
      continue;
    if (found.count++ > 0)
      continue;
    found.operand = bounds.operand;
    found.index = int64_t(indices[i]);
    found.least = least;
    found.most = most;
    found.element.resize(message.dims.size());
    auto rest = int64_t(i);
    for (size_t d = message.dims.size(); d-- > 0; rest /= message.dims[d])
      found.element[d] = rest % message.dims[d];
  }
  return found.count > 0;
}

absl::StatusOr<std::optional<FirstOutOfBounds>>
findFirstOutOfBounds(const Compile &compile, const Target &target, const RunInputs &inputs) {
  std::vector<TappedOperation> operations;
  TapOptions taps;
  taps.only.emplace();
  taps.indices = true;
  taps.operations = &operations;
  absl::StatusOr<Program> program = compile(taps, std::nullopt);
  if (!program.ok())
    return program.status();
  std::unordered_map<int64_t, std::pair<const TappedOperation *, const IndexBounds *>> byChannel;
  for (const TappedOperation &operation : operations)
    for (const IndexBounds &bounds : operation.indices)
      byChannel[bounds.channel] = {&operation, &bounds};
  std::optional<FirstOutOfBounds> first;
  absl::StatusOr<RunResult> run =
      runTapped(*program, target, inputs, [&](const TapMessage &message) -> absl::Status {
        const auto known = byChannel.find(message.channel);
        if (known == byChannel.end())
          return absl::OkStatus();
        FirstOutOfBounds found;
        found.execution = message.execution;
        if (!inspect(message, *known->second.second, found))
          return absl::OkStatus();
        found.operation = *known->second.first;
        found.core = message.core;
        first = std::move(found);
        return absl::AbortedError("found");
      });
  if (!first && !run.ok())
    return run.status();
  return first;
}

} // namespace systole::numerics
