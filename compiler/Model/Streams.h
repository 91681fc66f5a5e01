// When stages of a kernel run a step of the grid ahead of the others.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_MODEL_STREAMS_H
#define SYSTOLE_COMPILER_MODEL_STREAMS_H

#include <cstdint>

namespace systole {

/// Steps of the grid from which on its stages are divided.
inline constexpr int64_t kFewestStreamSteps = 6;
/// Cycles that loading the code of the first and of the last step takes, which are apart.
inline constexpr double kStreamCodeCycles = 4096;

} // namespace systole

#endif // SYSTOLE_COMPILER_MODEL_STREAMS_H
