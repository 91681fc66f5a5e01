// Vector and mask registers whose values may still be read.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_EMULATOR_CODE_LIVENESS_H
#define SYSTOLE_RUNTIME_EMULATOR_CODE_LIVENESS_H

#include <vector>

#include "runtime/Emulator/Code/Code.h"

namespace systole::emulation {

// The live-out registers of each block, on any path of control. A return leads to the places after
// all calls.
std::vector<RegisterSet> computeLiveOut(const Code &code);

// The live registers before an operation of a block, or, if it is the one behind it, at its end.
RegisterSet liveBefore(const Code &code, size_t block, size_t op);

} // namespace systole::emulation

#endif // SYSTOLE_RUNTIME_EMULATOR_CODE_LIVENESS_H
