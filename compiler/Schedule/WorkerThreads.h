// Independent work on several threads.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_SCHEDULE_WORKERTHREADS_H
#define SYSTOLE_COMPILER_SCHEDULE_WORKERTHREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace systole {

/// Calls `work` for each index of `lengths`, with a thread for each processor, those of the
/// greatest lengths first: so that no thread begins one when the others are done. In their order on
/// this thread if `inOrder`, or if there is one processor. Returns when all are done.
void runOnThreads(std::span<const int64_t> lengths, llvm::function_ref<void(size_t)> work,
                  bool inOrder = false);

} // namespace systole

#endif // SYSTOLE_COMPILER_SCHEDULE_WORKERTHREADS_H
