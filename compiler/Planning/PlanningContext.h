// Machine parameters of planning.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H
#define SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H

#include "compiler/Model/MachineModel.h"

namespace systole {

class Target;

/// Machine parameters of planning, from the target description alone.
struct PlanningContext {
  /// `precision`: passes of products of f32 that ask for the default.
  explicit PlanningContext(const Target &target, int precision = 1, const CodeBudget &budget = {});

  MachineModel model;
  int precision;
  int64_t vmemBytes; ///< that the blocks and stages of one kernel may take: all but spills
  int64_t smemWords; ///< of SMEM
  int64_t hbmRows;   ///< rows of 512 bytes that a core has

  /// The same of operations that cannot be divided further. `StepBytes::footprint` counts each
  /// buffer of a step, also those that are never live together, so that somewhat more may fit.
  int64_t mostVmemBytes() const { return vmemBytes / 4 * 5; }
};

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PLANNINGCONTEXT_H
