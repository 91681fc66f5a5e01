// How the arguments and results of a program for several cores are divided among them.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_ARRAYPARTS_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_ARRAYPARTS_H

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace systole {

namespace program {
class Tensor;
} // namespace program

struct ArrayParts {
  std::vector<int64_t> counts; // along each dimension
  int64_t terms = 1;           // partial sums of which the array is the sum (Shardy: unreduced)
  // For each part, in row-major order, and each term of it, the cores that have it, in ascending
  // order.
  std::vector<int> cores;

  // Whether cores have parts of the dimensions.
  bool isDivided() const;
  // How many cores have each term of each part.
  int64_t copies() const;
};

// The parts of an array, of which `tensor` is the part of one of so many cores. InvalidArgument
// if the parts do not make up the whole, or if not all of them are of equally many cores.
absl::StatusOr<ArrayParts> arrayPartsOf(const program::Tensor &tensor, int cores);

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_ARRAYPARTS_H
