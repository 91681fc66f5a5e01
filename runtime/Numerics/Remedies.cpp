// The gain and cost in cycles of computing some operations in wide types.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "runtime/Numerics/Numerics.h"

namespace systole::numerics {

// The operation, and those that read it if its type is narrow: else its result would be rounded to
// that type.
static std::vector<int64_t> raised(const Numerics &numerics, const OperationNumerics &operation) {
  std::vector<int64_t> numbers = {operation.operation.number};
  const std::optional<FloatFacts> facts = floatFacts(operation.dtype);
  const FloatFacts wide = *floatFacts(numerics.wide);
  if (facts && facts->digits < wide.digits)
    for (const OperationNumerics &reader : numerics.operations)
      if (std::ranges::count(reader.operation.operands, operation.operation.number) > 0)
        numbers.push_back(reader.operation.number);
  return numbers;
}

absl::StatusOr<std::vector<Remedy>> tryRemedies(const Numerics &numerics, const Compile &compile,
                                                const Target &target, const RunInputs &inputs,
                                                size_t most) {
  std::vector<Remedy> remedies;
  if (numerics.wideResults.empty())
    return remedies;
  for (const OperationNumerics *operation : numerics.ranked()) {
    if (remedies.size() == most)
      break;
    RaiseOptions raise;
    raise.operations = raised(numerics, *operation);
    raise.type = numerics.wide;
    absl::StatusOr<Program> program = compile(std::nullopt, raise);
    if (!program.ok())
      return program.status();
    absl::StatusOr<RunResult> run =
        runTapped(*program, target, inputs, [](const TapMessage &) { return absl::OkStatus(); });
    if (!run.ok())
      return run.status();
    remedies.push_back({operation,
                        normOf(errorsOf(program->header, run->results, numerics.wideResults)),
                        run->stats.cycles});
  }
  return remedies;
}

} // namespace systole::numerics
