// The steps of the residency planner (`systole-plan-residency`), in their order.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_RESIDENCY_RESIDENCY_H
#define SYSTOLE_COMPILER_RESIDENCY_RESIDENCY_H

#include "compiler/Residency/ResidentArrays.h"

namespace systole {

/// Moves copies from the host up to where they begin, and decides which copies of loops pass a
/// staging array. HBM has `hbmRows` rows of 512 bytes.
void startFetches(mlir::ModuleOp module, int64_t hbmRows, const MachineModel &model);

/// Keeps arrays that kernels of `loop` read in each trip: from outside, loop-carried, and parts
/// that are loaded while other kernels run.
void keepForLoop(stablehlo::WhileOp loop, ResidentArrays &arrays);

/// Keeps results of fusions of `block` until their last readers have run.
void keepBetweenKernels(mlir::Block &block, ResidentArrays &arrays);

/// Keeps copies of arrays that one fusion of `block` after the other reads from HBM: the first one
/// leaves it to the others.
void keepCopies(mlir::Block &block, ResidentArrays &arrays);

/// Lets kernels of `module`, all of which have plans, load the first blocks of the kernels behind
/// them to rows of VMEM that are free meanwhile.
mlir::LogicalResult loadFirstBlocks(mlir::ModuleOp module, const VmemRows &vmem,
                                    const PlanningContext &machine);

} // namespace systole

#endif // SYSTOLE_COMPILER_RESIDENCY_RESIDENCY_H
