// Searches for the blocking of a group that the machine's model finds the fastest.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_SEARCH_H
#define SYSTOLE_COMPILER_PLANNING_SEARCH_H

#include "compiler/Planning/Axes.h"
#include "compiler/Planning/PlanningContext.h"
#include "compiler/Planning/StepBytes.h"

namespace systole {

/// A blocking and its estimate in cycles.
struct Choice {
  Blocking blocking;
  double cycles = 0;
};

/// The VMEM of a kernel.
struct VmemShare {
  int64_t bytes = 0; ///< for its blocks and stages
  llvm::ArrayRef<ResidentBlocks> residents = {};
};

/// Cycles that a blocking causes outside of its kernel.
using CyclesOutside = llvm::function_ref<double(const Blocking &)>;

/// Is told of each legal blocking that the search tries: the bytes that VMEM lacks for it, and if
/// it lacks none its cycles.
using SearchObserver =
    llvm::function_ref<void(const Blocking &, int64_t missingBytes, double cycles)>;

/// The blocking of the operations of `axes` with the smallest estimate of those that are tried:
/// axes are added to the grid one at a time, in tiles whose sizes differ by factors of two, and the
/// best of these is improved in smaller steps. Its blocks fit into `vmem`. Sums that are done
/// in chunks are cut along these in any case, innermost. Nothing if no legal one is found.
std::optional<Choice> searchBlocking(Axes &axes, const StepBytes &bytes,
                                     const PlanningContext &machine, VmemShare vmem,
                                     CyclesOutside outside = nullptr,
                                     SearchObserver observer = nullptr);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_SEARCH_H
