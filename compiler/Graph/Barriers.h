// Optimization barriers: values on both sides are different ones.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_BARRIERS_H
#define SYSTOLE_COMPILER_GRAPH_BARRIERS_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/PatternMatch.h"

namespace systole {

/// Leaves in a barrier only what is an array in memory:
/// - constants and iota are the same on both sides and leave it;
/// - a broadcast is done again behind it, of its operand;
/// - integers of rank 0 may be the sequencer's: what reads them reads the operand, for which the
///   barrier still waits.
/// In a body that is part of a kernel there is nothing to separate.
llvm::LogicalResult simplifyBarrier(stablehlo::OptimizationBarrierOp op,
                                    mlir::PatternRewriter &rewriter);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_BARRIERS_H
