// Stages that run a step of the grid ahead of the others, beside products.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_AHEAD_H
#define SYSTOLE_COMPILER_PLANNING_COST_AHEAD_H

#include "compiler/Planning/Cost/Grid.h"

namespace systole {

/// The kernel's steps, and the VMEM that they leave.
struct AheadRequest {
  llvm::ArrayRef<StageCost> stages;
  llvm::ArrayRef<GridOperand> operands;
  uint32_t innermost = 0; ///< the axis that changes in each step, one bit
  int64_t steps = 1;
  int64_t freeBytes = INT64_MAX;
  /// Bytes of the operands of products that stages compute, and of their results.
  int64_t operandBytes = 0, resultBytes = 0;
};

/// Cycles of a step that are saved, and bytes of VMEM that stages hand on.
struct Hidden {
  double cycles = 0;
  int64_t bytes = 0;
};
/// The savings and the VMEM of running stages before or behind all products beside these for
/// another step, as codegen divides them (compiler/Codegen/StageStreams.h).
Hidden hiddenBy(const AheadRequest &request, const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_AHEAD_H
