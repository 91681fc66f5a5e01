// Operands of products that arrive in pieces.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_COST_PIECES_H
#define SYSTOLE_COMPILER_PLANNING_COST_PIECES_H

#include "compiler/Planning/Cost/Stage.h"

namespace systole {

/// In how many pieces an operand arrives, and the cycles of the stage that multiplies one.
struct Pieces {
  int64_t count = 1;
  double cycles = 0;
};

/// In how many pieces of equally many rows the first step of a kernel had better take the left
/// operand of a product: they are multiplied while others are under way, but each one fills and
/// drains the MXUs' pipelines. The operand takes `copyCycles` to arrive at once, and `startCycles`
/// more for each further copy.
Pieces bestPieces(const ProductStage &stage, double copyCycles, double startCycles,
                  llvm::function_ref<bool(int64_t count)> isPossible, const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_COST_PIECES_H
