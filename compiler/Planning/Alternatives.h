// The plans of a kernel that lost against its own, and why a group of operations has none. Nothing
// of this is known after planning: it searches again.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_ALTERNATIVES_H
#define SYSTOLE_COMPILER_PLANNING_ALTERNATIVES_H

#include "compiler/Decisions/Decisions.h"
#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningContext.h"
#include "dialects/Kernel/Kernel.h"

namespace systole {

/// The plan of `fusion`, whose blocks are `blocking`.
PlanDecision planDecision(kernel::FusionOp fusion, const Blocking &blocking,
                          const PlanningContext &machine);

/// Other plans that a search compares with that of `fusion`: the fastest of each order of axes, at
/// most `most`, the fastest first. None where the search ends with the first plan, which takes
/// hardly more than its busiest unit.
std::vector<PlanDecision> alternativesOf(kernel::FusionOp fusion, const Blocking &blocking,
                                         const PlanningContext &machine, size_t most);

/// Why a search finds no plan for `ops` as one kernel.
std::string whyNoPlan(llvm::ArrayRef<mlir::Operation *> ops, const PlanningContext &machine);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_ALTERNATIVES_H
