// The cost of copies between HBM and the memory of the host.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_HOSTCOPYCOST_H
#define SYSTOLE_COMPILER_PLANNING_HOSTCOPYCOST_H

#include "compiler/Model/MachineModel.h"
#include "dialects/Kernel/SyncFlags.h"

#include <algorithm>

namespace systole {

/// How many copies of one direction may be in flight: an eighth of the DMA queue.
inline int64_t mostHostCopies(const MachineModel &model) {
  return std::clamp<int64_t>(model.dmaQueueDepth() / 8, 1, kernel::kMostHostCopies);
}

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_HOSTCOPYCOST_H
