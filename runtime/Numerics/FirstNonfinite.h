// Where the first number that is not finite arises in a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_FIRSTNONFINITE_H
#define SYSTOLE_RUNTIME_NUMERICS_FIRSTNONFINITE_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Device/HostArray.h"
#include "runtime/Numerics/TapRun.h"

namespace systole::numerics {

enum class Nonfinite : uint8_t { NaN, Any };

// An operand of the operation, at that execution.
struct NonfiniteOperand {
  std::string name; // "add.12", "arg0" or the argument's name
  HostArray array;
};

struct FirstNonfinite {
  TappedOperation operation;
  int64_t execution = 0; // from 0: the iteration of a loop around it
  int core = 0;
  HostArray result;
  int64_t nans = 0, infinities = 0;
  std::vector<std::vector<int64_t>> elements; // indices of the first ones
  std::vector<NonfiniteOperand> operands;
};

struct FiniteReport {
  std::optional<FirstNonfinite> first; // nothing: all values are finite
  bool isDropped = false;              // no result has such a number
  bool isCut = false;                  // the run was ended behind it, before a result had one
  // Arguments and results with such numbers, and how many.
  std::vector<std::pair<std::string, int64_t>> arguments, results;
};

// Runs the program with taps, and looks for the first operation that computes a number that is not
// finite and that reaches a result, or else the first one: arguments and constants are not asked,
// nor are infinities of operations that only choose among their operands. Then once more, up to its
// operands.
absl::StatusOr<FiniteReport> findFirstNonfinite(const Compile &compile, const Target &target,
                                                const RunInputs &inputs, Nonfinite kind);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_FIRSTNONFINITE_H
