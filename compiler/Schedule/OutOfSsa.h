// Lowers loop-carried values to copies.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_OUTOFSSA_H
#define SYSTOLE_COMPILER_SCHEDULE_OUTOFSSA_H

#include "compiler/Schedule/MachineFunction.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace systole::machine {

/// Replaces the loop-carried values of every loop for which `keep` is false by copies before
/// the loop and at the end of its body. If the next iteration's value can be computed in place,
/// no copy is inserted. Such a loop no longer lists its carried values, so it becomes a plain
/// loop.
void lowerCarried(Function &f, llvm::function_ref<bool(NodeId)> keep);

} // namespace systole::machine

#endif // SYSTOLE_COMPILER_SCHEDULE_OUTOFSSA_H
