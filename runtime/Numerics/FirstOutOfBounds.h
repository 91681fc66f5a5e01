// Where the first index out of bounds is in a run.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_FIRSTOUTOFBOUNDS_H
#define SYSTOLE_RUNTIME_NUMERICS_FIRSTOUTOFBOUNDS_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Numerics/TapRun.h"

namespace systole::numerics {

struct FirstOutOfBounds {
  TappedOperation operation;
  int64_t execution = 0; // from 0
  int core = 0;
  unsigned operand = 0;
  std::vector<int64_t> element; // of the operand
  int64_t index = 0, least = 0, most = 0;
  int64_t count = 0, all = 0; // elements of the operand that are out of bounds
};

// Runs the program until a slice, an update, a gather or a scatter has an index that the machine
// would clamp, or drop, or a clamp of integers confines one to constants. Nothing if there is none.
absl::StatusOr<std::optional<FirstOutOfBounds>>
findFirstOutOfBounds(const Compile &compile, const Target &target, const RunInputs &inputs);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_FIRSTOUTOFBOUNDS_H
