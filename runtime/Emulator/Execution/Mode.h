// Which values an execution computes.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_EXECUTION_MODE_H
#define SYSTOLE_RUNTIME_EMULATOR_EXECUTION_MODE_H

#include <cstdint>

namespace systole::emulation {

enum class Mode : uint8_t {
  Full,     // everything
  Deferred, // everything, but what operations do to cells waits (CellUnits.h)
  Clock,    // timing only: scalars alone, with their origins
  Known,    // timing only: everything whose operands are known, but for products; with origins
};
constexpr bool computes(Mode mode) { return mode != Mode::Clock; }
constexpr bool tracks(Mode mode) { return mode == Mode::Clock || mode == Mode::Known; }

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_EXECUTION_MODE_H
