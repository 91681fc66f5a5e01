// Where two runs of a program first differ.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_FIRSTDIFFERENCE_H
#define SYSTOLE_RUNTIME_NUMERICS_FIRSTDIFFERENCE_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/Numerics/Errors.h"
#include "runtime/Numerics/TapRun.h"

namespace systole::numerics {

// One side: a program, which may be another version of the other, and its machine.
struct Side {
  Compile compile;
  Target target;
};

struct FirstDifference {
  TappedOperation operation; // of the first side
  int64_t execution = 0;     // from 0
  int core = 0;
  ErrorSums errors;             // of its value there
  std::vector<int64_t> element; // the first one that differs
  double value = 0, other = 0;  // it
};

struct DifferenceReport {
  int64_t compared = 0; // values
  std::optional<FirstDifference> first;
  // The operation of the other side that stands where the first one has another: "" if none does.
  std::string structure;
  bool isOfOther = false; // `first` is an operation of the other side, behind the end of this one
};

// Runs both side by side until a value differs: the norm of the differences is more than `bound`
// times that of the value, or numbers of one that are not finite are other ones in the other.
absl::StatusOr<DifferenceReport> findFirstDifference(const Side &one, const Side &other,
                                                     const RunInputs &inputs, double bound);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_FIRSTDIFFERENCE_H
