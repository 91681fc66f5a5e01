// Copies to and from the host in loops, which are on their way while a trip runs.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_STAGEDCOPIES_H
#define SYSTOLE_COMPILER_RESIDENCY_STAGEDCOPIES_H

#include "compiler/Model/MachineModel.h"
#include "dialects/StableHLO/StableHLO.h"

namespace systole {

/// The copies of `loop` to and from the host that can be on their way while the next trip runs, and
/// for which that pays: a trip takes `cycles`.
llvm::SmallVector<mlir::Operation *> stageableCopies(stablehlo::WhileOp loop, double cycles,
                                                     const MachineModel &model);

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_STAGEDCOPIES_H
