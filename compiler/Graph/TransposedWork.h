// Transpositions of elementwise work.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_COMPILER_GRAPH_TRANSPOSEDWORK_H
#define SYSTOLE_COMPILER_GRAPH_TRANSPOSEDWORK_H

#include "dialects/StableHLO/StableHLO.h"

#include "mlir/IR/PatternMatch.h"

namespace systole {

/// A transposition of elementwise work of arrays that are transposed in the same way anyway is that
/// work of the transposed arrays. So an array and what follows from it leave a kernel in one order.
mlir::LogicalResult transposeOfElementwise(stablehlo::TransposeOp op,
                                           mlir::PatternRewriter &rewriter);

} // namespace systole

#endif // SYSTOLE_COMPILER_GRAPH_TRANSPOSEDWORK_H
