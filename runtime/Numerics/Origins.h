// From which operation numbers that are not finite reach the results of a program.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_NUMERICS_ORIGINS_H
#define SYSTOLE_RUNTIME_NUMERICS_ORIGINS_H

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/Numerics/Taps.h"

namespace systole::numerics {

// The first result of an operation with such a number.
struct Sighting {
  int64_t order = 0; // among those of all operations
  int64_t execution = 0;
  int core = 0;
  int result = 0;          // its number
  bool isCandidate = true; // false: of a kind of number that does not count for this operation
};
using Sightings = std::unordered_map<int64_t, Sighting>; // by the number of the operation

// The number of an operation that has such a result while none of its operands had one before.
// Operations whose values are not known pass numbers on.
struct Origin {
  int64_t operation = 0;
  bool reachesResult = false; // of the program, from operation to operation
};

// The first one that reaches a result, or else the first one; nothing if there is none.
std::optional<Origin> findOrigin(const std::vector<TappedOperation> &operations,
                                 const Sightings &sightings);

} // namespace systole::numerics

#endif // SYSTOLE_RUNTIME_NUMERICS_ORIGINS_H
