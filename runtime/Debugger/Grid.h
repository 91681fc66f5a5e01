// Where the steps of kernels' grids begin.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_RUNTIME_DEBUGGER_GRID_H
#define SYSTOLE_RUNTIME_DEBUGGER_GRID_H

#include <cstdint>

#include "dialects/Machine/Program/Program.h"

namespace systole::debugger {

// The bundle at which a step of the kernel's grid begins. A kernel runs its grid in one loop, the
// longest of the outermost ones of its code, or of the routine that it calls: the steps are the
// iterations. Where copies and products of neighbouring steps overlap, an iteration has parts of
// both. Without such a loop, the grid has one step, which begins with the kernel.
int64_t gridStep(const Program &program, const program::Kernel &kernel);

} // namespace systole::debugger

#endif // SYSTOLE_RUNTIME_DEBUGGER_GRID_H
