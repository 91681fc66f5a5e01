// Plans as attributes of fusions.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_PLANNING_PLANATTRIBUTE_H
#define SYSTOLE_COMPILER_PLANNING_PLANATTRIBUTE_H

#include "compiler/Planning/Blocking.h"
#include "compiler/Planning/PlanningContext.h"
#include "dialects/Kernel/Kernel.h"

namespace systole {

/// The operations of a fusion, without its terminator.
llvm::SmallVector<mlir::Operation *> operationsOf(kernel::FusionOp fusion);

/// The operands and results of a fusion that VMEM keeps, and in which blocks.
llvm::SmallVector<ResidentBlocks, 0> residentOperands(kernel::FusionOp fusion);

/// Values that the kernel of a fusion copies in blocks, in the order of `buffers` of its plan: the
/// body's arguments in order, each as most operations read it, then as those do which have blocks
/// of their own; then the results.
llvm::SmallVector<OperandBlocks> blockedOperands(kernel::FusionOp fusion, const Blocking &blocking);

/// Whether an operand is the same in each step, and so many parts of whole rows of HBM.
bool canArriveInPieces(const OperandBlocks &operand, int64_t pieces, const Blocking &blocking);

/// `blocking`, of the operations of `fusion`, as a plan with an estimate in cycles, 0 for none.
kernel::PlanAttr toAttribute(const Blocking &blocking, kernel::FusionOp fusion,
                             double estimate = 0);

/// The blocking that a fusion's plan states; an error at its place if it has none, or if that
/// contradicts its operations.
mlir::FailureOr<Blocking> blockingOf(kernel::FusionOp fusion);

/// Whether a kernel can follow the plan of a fusion: besides, its blocks fit into VMEM and start
/// where DMA can, the grid writes each block once, and sums keep their order. An error at the place
/// of the fusion if not.
mlir::LogicalResult verifyPlan(kernel::FusionOp fusion, const PlanningContext &machine);

} // namespace systole

#endif // SYSTOLE_COMPILER_PLANNING_PLANATTRIBUTE_H
