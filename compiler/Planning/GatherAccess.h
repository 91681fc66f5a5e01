// Whether gathers read arrays in HBM or in VMEM, by their plans.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_GATHERACCESS_H
#define SYSTOLE_COMPILER_PLANNING_GATHERACCESS_H

#include "compiler/Planning/Planner.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// Whether a plan saves more of another one's cycles than the latencies of a kernel, in which the
/// estimates of few copies are off.
bool isFaster(const Planner &planner, const Plan &plan, const Plan &other);

/// Gives a gather the access with which its kernel is faster; its plan, if there is one.
std::optional<Plan> planWithAccess(Planner &planner, stablehlo::GatherOp op);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_GATHERACCESS_H
