// Simplification of optimization barriers.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_BARRIERS_H
#define SYSTOLE_COMPILER_GRAPH_BARRIERS_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/PatternMatch.h"

namespace systole {

/// Leaves only tensors in memory as operands of a barrier. Constants and iota
/// are the same on both sides and bypass it; a broadcast is rematerialized
/// behind it, from its operand; integers of rank 0 may be values of the
/// scalar unit: their users read the operand, for which the barrier still
/// waits. In the body of a reducer, which is part of a kernel, barriers have
/// no effect.
llvm::LogicalResult simplifyBarrier(stablehlo::OptimizationBarrierOp op,
                                    mlir::PatternRewriter &rewriter);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_BARRIERS_H
